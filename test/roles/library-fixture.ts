import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { UsageError } from '../../src/errors.ts';
import { openLibrary, type Library } from '../../src/roles/library.ts';
import { projectTools } from '../../src/tools/all.ts';

export const PACKAGE = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
export const TOOL_NAMES = projectTools.map(({ name }) => name);

/** A library over the shipped files and a temporary project that holds these. */
export function libraryWith(files: Record<string, string> = {}): Library & { root: string; reads: string[] } {
  const root = mkdtempSync(join(tmpdir(), 'blueprint-roles-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  const reads: string[] = [];
  const read = async (path: string): Promise<string | undefined> => {
    reads.push(path);
    return readFile(path, 'utf8').catch(() => undefined);
  };
  return { ...openLibrary({ projectRoot: root, packageRoot: PACKAGE, read }), root, reads };
}

export function shipped(path: string): string {
  return readFileSync(join(PACKAGE, path), 'utf8');
}

export async function usageErrorOf(act: () => unknown): Promise<UsageError> {
  try {
    await act();
  } catch (error) {
    if (error instanceof UsageError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}
