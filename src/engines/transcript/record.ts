import { isDeepStrictEqual } from 'node:util';
import { Document, Scalar, visit } from 'yaml';
import { InternalError, UsageError } from '../../errors.ts';
import { NO_USAGE, type RecordedTurn } from '../../model/engine.ts';
import { parseTranscript, type TranscriptEntry } from './transcript.ts';

/** Recorded turns as entries that, played back, give the same replies but for what only the first engine could read. */
export function toEntries(turns: readonly RecordedTurn[]): TranscriptEntry[] {
  return turns.map(({ key, reply: { content, stop, detail, ...reply } }) => {
    const { input, output, cacheRead, cacheWrite } = { ...NO_USAGE, ...reply.usage };
    const usage = { input, output, cacheRead, cacheWrite };
    const texts = content.flatMap((block) => (block.type === 'text' ? [block.text] : []));
    const calls = content.flatMap((block) => (block.type === 'tool-call' ? [block] : []));
    return {
      stage: key.step,
      attempt: key.attempt,
      turn: key.turn,
      expect: [],
      calls: calls.map((call) => ({
        id: call.id,
        tool: call.name,
        input: call.input ?? null,
        ...(call.fault !== undefined && { fault: call.fault }),
      })),
      delay: 0,
      ...(texts.length > 0 && { say: texts.join('\n\n') }),
      ...(stop !== (calls.length > 0 ? 'tool-calls' : 'end') && { stop }),
      ...(detail !== undefined && { detail }),
      ...(!isDeepStrictEqual(usage, NO_USAGE) && { usage }),
    };
  });
}

/**
 * A transcript's text: JSON for a file that is named so, else YAML as a person would write it. What the reader of
 * transcripts would take for something else is written as JSON, which is YAML too.
 */
export function serialiseTranscript(entries: readonly TranscriptEntry[], file: string): string {
  const values = entries.map(withoutDefaults);
  const yaml = /\.json$/i.test(file) ? undefined : yamlOf(values);
  if (yaml !== undefined && readsBack(yaml, entries)) return yaml;
  const json = `${JSON.stringify(values, undefined, 2).replace(INVISIBLE, escaped)}\n`;
  if (readsBack(json, entries)) return json;
  throw new InternalError('The recording does not read back as what was recorded.', { place: file });
}

/** Whether a text is a transcript. */
export function isTranscript(text: string): boolean {
  try {
    parseTranscript(text, '');
    return true;
  } catch (error) {
    if (error instanceof UsageError) return false;
    throw error;
  }
}

function withoutDefaults({ stage, attempt, turn, expect, say, calls, stop, detail, usage, delay }: TranscriptEntry): object {
  return {
    stage,
    attempt,
    turn,
    ...(expect.length > 0 && { expect }),
    ...(say !== undefined && { say }),
    ...(calls.length > 0 && { calls }),
    ...(stop !== undefined && { stop }),
    ...(detail !== undefined && { detail }),
    ...(usage !== undefined && { usage }),
    ...(delay > 0 && { delay }),
  };
}

/** Texts of several lines stand as they are, one under the other; what an editor would not show, or change, is escaped. */
function yamlOf(values: object[]): string {
  const document = new Document(values, { aliasDuplicateObjects: false });
  visit(document, {
    Scalar: (key, node) => {
      if (typeof node.value !== 'string') return;
      if (node.value.search(UNSAFE) !== -1) node.type = Scalar.QUOTE_DOUBLE;
      else if (key !== 'key' && node.value.includes('\n')) node.type = Scalar.BLOCK_LITERAL;
    },
  });
  return document.toString({ lineWidth: 0, doubleQuotedMinMultiLineLength: Number.MAX_SAFE_INTEGER }).replace(INVISIBLE, escaped);
}

/** As it would be read from the disk: half characters do not survive being written as bytes. */
function readsBack(text: string, entries: readonly TranscriptEntry[]): boolean {
  const stored = new TextDecoder('utf-8', { ignoreBOM: true }).decode(new TextEncoder().encode(text));
  try {
    return isDeepStrictEqual(parseTranscript(stored, ''), entries);
  } catch (error) {
    if (error instanceof UsageError) return false;
    throw error;
  }
}

/** What cannot stand in a literal block: line ends of other kinds, control characters, halves of characters. */
const UNSAFE = /(?![\n\t])[\p{Cc}\p{Cs}\u2028\u2029\ufeff]/u;

/** Characters that quotation leaves as they are and no editor shows. */
const INVISIBLE = /[\u007f-\u009f\u2028\u2029\ufeff]/g;

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
