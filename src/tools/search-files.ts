import { stat } from 'node:fs/promises';
import { z } from 'zod';
import type { ToolContext } from '../model/tool.ts';
import { ANSWER_LIMIT, capLine } from './answer-text.ts';
import { CallerFault, defineTool } from './define-tool.ts';
import { createMatcher, type Matcher } from './line-matcher.ts';
import { isBinary, readStart } from './read-bytes.ts';
import { walkFiles } from './walk-files.ts';

const MOST_PER_FILE = 20;
const MOST_IN_ALL = 200;
const SHOWN_WIDTH = 300;

const schema = z.strictObject({
  query: z.string().min(1).max(500).describe('Text to find, or a regular expression with `regex`.'),
  path: z.string().default('.').describe('File or folder to search, from the project root.'),
  regex: z.boolean().default(false).describe('Take the query as a JavaScript regular expression, line by line.'),
  ignoreCase: z.boolean().default(false),
});

/** Finds lines that hold a text or match a regular expression. */
export const searchFilesTool = defineTool({
  name: 'search_files',
  description: 'Finds lines in the files of the project: answers "path:line: text". Leaves out .git, node_modules and binary files.',
  schema,
  async prepare(input, context) {
    const matches = createMatcher(input);
    const place = await context.border.resolve(input.path, 'read');
    const status = await stat(place.absolute).catch(() => undefined);
    if (status === undefined) throw new CallerFault(`There is no file or folder "${place.relative}".`);
    const files = status.isDirectory() ? walkFiles(place, context) : [place];
    return { kind: 'answer', text: await search(files, matches, context) };
  },
});

async function search(
  files: AsyncIterable<{ absolute: string; relative: string }> | { absolute: string; relative: string }[],
  matches: Matcher,
  context: ToolContext,
): Promise<string> {
  const found: string[] = [];
  let length = 0;
  for await (const file of files) {
    for (const line of await searchFile(file, matches, context)) {
      length += line.length + 1;
      if (found.length >= MOST_IN_ALL || length > ANSWER_LIMIT) {
        return `${found.join('\n')}\n[... more matches; narrow the query or name a folder ...]`;
      }
      found.push(line);
    }
  }
  return found.length === 0 ? '(no matches)' : found.join('\n');
}

async function searchFile(file: { absolute: string; relative: string }, matches: Matcher, context: ToolContext): Promise<string[]> {
  context.signal.throwIfAborted();
  // A link in the walk may lead to a folder, or nowhere: nothing to search, and nothing to complain about.
  const start = await readStart(file.absolute, file.relative).catch(() => undefined);
  if (start === undefined || isBinary(start.bytes)) return [];
  const found: string[] = [];
  const lines = new TextDecoder('utf-8').decode(start.bytes).split('\n');
  for (const index of matches(lines)) {
    if (found.length === MOST_PER_FILE) {
      found.push(`${file.relative}: [... more matches in this file ...]`);
      break;
    }
    found.push(`${file.relative}:${index + 1}: ${capLine((lines[index] ?? '').trimEnd(), SHOWN_WIDTH)}`);
  }
  return found;
}
