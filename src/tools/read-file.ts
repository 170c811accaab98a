import { z } from 'zod';
import { ANSWER_LIMIT, capText } from './answer-text.ts';
import { CallerFault, defineTool } from './define-tool.ts';
import { FILE_LIMIT, isBinary, readStart, type FileStart } from './read-bytes.ts';

const schema = z.strictObject({
  path: z.string().min(1).describe('Path from the project root.'),
  from: z.int().min(1).optional().describe('First line, from 1.'),
  to: z.int().min(1).optional().describe('Last line.'),
});

/** Reads a text file, or a range of its lines. */
export const readFileTool = defineTool({
  name: 'read_file',
  description: 'Reads a text file of the project, or the lines `from` to `to` of it. Long files come in parts, with a note.',
  schema,
  async prepare(input, context) {
    const { absolute, relative } = await context.border.resolve(input.path, 'read');
    const start = await readStart(absolute, relative);
    if (start === undefined) throw new CallerFault(`There is no file "${relative}".`);
    if (isBinary(start.bytes)) {
      return { kind: 'answer', text: `"${relative}" is a binary file of ${start.size} bytes.` };
    }
    return { kind: 'answer', text: excerptOf(start, relative, input) };
  },
});

function excerptOf(start: FileStart, path: string, range: z.output<typeof schema>): string {
  // 'stream': a character that the size limit cut in two is held back instead of becoming U+FFFD.
  const text = new TextDecoder('utf-8').decode(start.bytes, { stream: start.size > start.bytes.length });
  if (text === '') return `"${path}" is empty.`;
  // Line ends stay as they are; one at the end of the file does not begin a line.
  const lines = text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
  const from = range.from ?? 1;
  const to = Math.min(range.to ?? lines.length, lines.length);
  if (from > lines.length) throw new CallerFault(`"${path}" has ${lines.length} lines; line ${from} is behind its end.`);
  if (from > to) throw new CallerFault(`The range ${from} to ${to} holds no line.`);

  const { kept, last } = takeLines(lines, from, to);
  const cutAtSize = start.size > FILE_LIMIT && to === lines.length;
  if (last === to && !cutAtSize) return kept;
  const total = start.size > FILE_LIMIT ? `${start.size} bytes, of which the first ${FILE_LIMIT} can be read` : `${lines.length} lines`;
  return `${kept}${kept.endsWith('\n') ? '' : '\n'}[... lines ${from} to ${last} of "${path}" (${total}); read on with from=${last + 1} ...]`;
}

/** As many whole lines as fit into an answer; the first one is cut if it alone does not. */
function takeLines(lines: string[], from: number, to: number): { kept: string; last: number } {
  let kept = '';
  for (let number = from; number <= to; number += 1) {
    const line = lines[number - 1] ?? '';
    if (kept.length + line.length > ANSWER_LIMIT) {
      return kept === '' ? { kept: capText(line), last: number } : { kept, last: number - 1 };
    }
    kept += line;
  }
  return { kept, last: to };
}
