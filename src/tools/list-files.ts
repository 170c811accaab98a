import { stat } from 'node:fs/promises';
import { z } from 'zod';
import { ANSWER_LIMIT } from './answer-text.ts';
import { CallerFault, defineTool } from './define-tool.ts';
import { walkFiles } from './walk-files.ts';

const MOST_FILES = 2000;

/** Lists the files below a folder. */
export const listFilesTool = defineTool({
  name: 'list_files',
  description: 'Lists the files below a folder of the project, one path a line. Leaves out .git and node_modules.',
  schema: z.strictObject({
    path: z.string().default('.').describe('Folder, from the project root.'),
  }),
  async prepare(input, context) {
    const folder = await context.border.resolve(input.path, 'read');
    const status = await stat(folder.absolute).catch(() => undefined);
    if (status === undefined) throw new CallerFault(`There is no folder "${folder.relative}".`);
    if (!status.isDirectory()) throw new CallerFault(`"${folder.relative}" is a file, not a folder.`);

    const lines: string[] = [];
    let length = 0;
    for await (const file of walkFiles(folder, context)) {
      length += file.relative.length + 1;
      if (lines.length >= MOST_FILES || length > ANSWER_LIMIT) {
        lines.push(`[... more files; only the first ${lines.length} are listed: name a folder further down ...]`);
        break;
      }
      lines.push(file.relative);
    }
    return { kind: 'answer', text: lines.length === 0 ? '(no files)' : lines.join('\n') };
  },
});
