import { z } from 'zod';
import { closestLines } from './closest-lines.ts';
import { CallerFault, defineTool } from './define-tool.ts';
import { withLineEndsOf, withPlainLineEnds } from './line-ends.ts';
import { isBinary, readWhole } from './read-bytes.ts';
import { preparedWrite } from './write-file.ts';

const schema = z.strictObject({
  path: z.string().min(1).describe('Path from the project root.'),
  oldText: z.string().min(1).describe('Text to replace, exactly as it stands in the file; it must occur once.'),
  newText: z.string().describe('Text to put in its place.'),
  all: z.boolean().default(false).describe('Replace every occurrence.'),
});

/** Replaces an exact text in a file, and nothing else: line ends and byte-order mark stay as they are. */
export const editFileTool = defineTool({
  name: 'edit_file',
  description: 'Replaces `oldText`, which must occur exactly once in the file (or any number of times with `all`), by `newText`.',
  schema,
  async prepare(input, context) {
    const { absolute, relative } = await context.border.resolve(input.path, 'write');
    const before = await readWhole(absolute, relative);
    if (before === undefined) throw new CallerFault(`There is no file "${relative}"; make it with write_file.`);
    const text = decodeExactly(before, relative);
    const places = findPlaces(text, input.oldText);
    const count = places.length;
    if (count === 0) throw new CallerFault(mismatch(text, input.oldText, relative));
    if (count > 1 && !input.all) {
      throw new CallerFault(`oldText occurs ${count} times in "${relative}"; give more of its surroundings, or set all.`);
    }
    const edited = replacePlaces(text, places, input.newText);
    return preparedWrite({
      path: relative,
      before,
      bytes: new TextEncoder().encode(edited),
      text: `Edited "${relative}": ${count === 1 ? '1 place' : `${count} places`}.`,
    });
  },
});

/** The text with its byte-order mark. Bytes that are no UTF-8 would come back changed, so they are refused. */
function decodeExactly(bytes: Uint8Array, path: string): string {
  if (isBinary(bytes)) throw new CallerFault(`"${path}" is a binary file.`);
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new CallerFault(`"${path}" is not valid UTF-8, so it cannot be edited as text.`);
  }
}

interface Place {
  start: number;
  end: number;
}

/** Where a text occurs, whatever line ends the two have: models write LF even when they were shown CRLF. */
function findPlaces(text: string, oldText: string): Place[] {
  const plain = withPlainLineEnds(text);
  const wanted = withPlainLineEnds(oldText).text;
  const places: Place[] = [];
  for (let at = plain.text.indexOf(wanted); at >= 0; at = plain.text.indexOf(wanted, at + wanted.length)) {
    places.push({ start: plain.originalIndex(at), end: plain.originalIndex(at + wanted.length) });
  }
  return places;
}

/** The new text gets the line ends of what it replaces or, where that has none, those of the file. */
function replacePlaces(text: string, places: Place[], newText: string): string {
  const parts: string[] = [];
  let last = 0;
  for (const { start, end } of places) {
    parts.push(text.slice(last, start), withLineEndsOf(newText, text.slice(start, end), text));
    last = end;
  }
  return parts.join('') + text.slice(last);
}

function mismatch(text: string, oldText: string, path: string): string {
  const closest = closestLines(text, oldText);
  const advice = `oldText does not occur in "${path}".`;
  if (closest === '') return `${advice} Nothing like it is there: read the file again.`;
  return `${advice} The closest lines are:\n${closest}\nCopy the text exactly, without the line numbers.`;
}
