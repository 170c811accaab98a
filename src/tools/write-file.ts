import { z } from 'zod';
import type { PreparedCall } from '../model/tool.ts';
import { bytesDigest } from '../text/digest.ts';
import { CallerFault, defineTool } from './define-tool.ts';
import { FILE_LIMIT, readWhole } from './read-bytes.ts';

/** Writes a whole file. */
export const writeFileTool = defineTool({
  name: 'write_file',
  description: 'Writes a whole file of the project, new or existing; folders are made. For a small change use edit_file.',
  schema: z.strictObject({
    path: z.string().min(1).describe('Path from the project root.'),
    content: z.string().describe('The whole content of the file.'),
  }),
  async prepare(input, context) {
    const { absolute, relative } = await context.border.resolve(input.path, 'write');
    const bytes = new TextEncoder().encode(input.content);
    if (bytes.length > FILE_LIMIT) throw new CallerFault(`The content has ${bytes.length} bytes; ${FILE_LIMIT} are allowed.`);
    const before = await readWhole(absolute, relative);
    const what = before === undefined ? 'Created' : 'Replaced';
    return preparedWrite({ path: relative, before, bytes, text: `${what} "${relative}" (${bytes.length} bytes).` });
  },
});

/** A write for the caller to record and put in place; bytes that are already there are an answer, and no write. */
export function preparedWrite(write: { path: string; before: Uint8Array | undefined; bytes: Uint8Array; text: string }): PreparedCall {
  const { path, before, bytes, text } = write;
  const change = { path, before: before === undefined ? null : bytesDigest(before), after: bytesDigest(bytes) };
  if (change.before === change.after) return { kind: 'answer', text: `"${path}" already has this content; nothing changed.` };
  return { kind: 'write', change, bytes, before, text };
}
