import { createReadStream } from 'node:fs';
import { StateError } from '../errors.ts';
import type { JournalEvent } from '../model/event.ts';
import type { RunState } from '../model/state.ts';
import { applyEvent, initialState } from './fold.ts';

/** Highest journal format this version understands. */
export const SCHEMA = 1;

export interface ReadJournal {
  state: RunState;
  /** Bytes that hold whole lines. */
  length: number;
  /** Things a person should know: a torn tail, a line that is no event, two events of one number. */
  warnings: string[];
  /** Lines inside the file that cannot be read. */
  damaged: number[];
}

/**
 * Folds a journal in one pass, line by line, keeping no bodies. A missing file is an empty journal. Each event that
 * counts is shown to `visit`.
 * @throws StateError when the journal was written by a newer format.
 */
export async function readJournal(path: string, visit?: (event: JournalEvent) => void): Promise<ReadJournal> {
  const state = initialState();
  const result: ReadJournal = { state, length: 0, warnings: [], damaged: [] };
  let held: JournalEvent | undefined;
  let line = 0;
  // Of two events with one number the later wins, so each waits until its successor is known.
  const flush = (): void => {
    if (!held) return;
    refuseNewer(held, path);
    applyEvent(state, held);
    visit?.(held);
  };
  for await (const { text, end } of readLines(path)) {
    line += 1;
    if (end === undefined) {
      result.warnings.push(`${path}:${line}: the last line was cut off by a crash; it is left out.`);
      break;
    }
    result.length = end;
    const event = parseEvent(line === 1 ? text.replace(/^\uFEFF/, '') : text);
    if (!event) {
      result.damaged.push(line);
      result.warnings.push(`${path}:${line}: this line is no event; it is kept and skipped.`);
      continue;
    }
    if (held && event.seq === held.seq) result.warnings.push(`${path}:${line}: number ${event.seq} is used twice; the later event counts.`);
    else flush();
    held = event;
  }
  flush();
  return result;
}

function parseEvent(text: string): JournalEvent | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null) return undefined;
    const { seq, time, type, data } = value as Record<string, unknown>;
    const isEvent =
      Number.isInteger(seq) && typeof time === 'string' && typeof type === 'string' && typeof data === 'object' && data !== null;
    return isEvent ? (value as JournalEvent) : undefined;
  } catch {
    return undefined;
  }
}

function refuseNewer(event: JournalEvent, path: string): void {
  if (event.type === 'run-started' && event.data.schema > SCHEMA) {
    throw new StateError(`${path} has format ${event.data.schema}, expected at most ${SCHEMA}.`, {
      hint: `It was written by blueprint ${event.data.version}; use that version or a newer one.`,
    });
  }
}

/** Lines end at the byte "\n" and nowhere else. The last one has no `end` when it has no line end. */
async function* readLines(path: string): AsyncGenerator<{ text: string; end: number | undefined }> {
  let rest: Buffer = Buffer.alloc(0);
  let offset = 0;
  try {
    for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 }) as AsyncIterable<Buffer>) {
      const bytes: Buffer = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk;
      let start = 0;
      for (let at = bytes.indexOf(10); at !== -1; at = bytes.indexOf(10, start)) {
        yield { text: bytes.toString('utf8', start, at), end: offset + at + 1 };
        start = at + 1;
      }
      offset += start;
      rest = bytes.subarray(start);
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw error;
  }
  if (rest.length > 0) yield { text: rest.toString('utf8'), end: undefined };
}
