import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { ToolContext } from '../model/tool.ts';
import { isTemporaryName } from '../util/files.ts';

/** Folders that hold what others made: listed by nobody, searched by nobody. */
const LEFT_OUT = new Set(['.git', 'node_modules']);

/**
 * Yields the files below a folder as paths from the project root, sorted, folder by folder. Links are not followed;
 * what the border refuses or the system does not let us open is left out without a word. Rejects with the abort reason.
 */
export async function* walkFiles(
  folder: { absolute: string; relative: string },
  context: ToolContext,
): AsyncGenerator<{ absolute: string; relative: string }> {
  context.signal.throwIfAborted();
  const entries = await readdir(folder.absolute, { withFileTypes: true }).catch((): Dirent[] => []);
  entries.sort((one, other) => (one.name < other.name ? -1 : 1));
  for (const entry of entries) {
    if (LEFT_OUT.has(entry.name) || isTemporaryName(entry.name)) continue;
    const relative = folder.relative === '' ? entry.name : `${folder.relative}/${entry.name}`;
    // A folder may be listed where its files may not: only the border knows, so each path is asked for.
    const allowed = await context.border.resolve(relative, 'read').catch(() => undefined);
    if (allowed === undefined) continue;
    const place = { absolute: join(folder.absolute, entry.name), relative };
    if (entry.isDirectory()) yield* walkFiles(place, context);
    else if (entry.isFile() || entry.isSymbolicLink()) yield place;
  }
}
