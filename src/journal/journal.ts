import { open, mkdir, readFile, rename, type FileHandle } from 'node:fs/promises';
import { createHash } from 'node:crypto';
import { dirname, join } from 'node:path';
import { InternalError, StateError } from '../errors.ts';
import type { JournalEvent, NewEvent } from '../model/event.ts';
import type { Journal } from '../model/journal.ts';

/** Longest line of a journal, in bytes: what is longer belongs in a blob. */
export const LINE_LIMIT = 64 * 1024;

export interface OpenJournalOptions {
  /** Absolute path of the run's folder. */
  folder: string;
  /** Sequence number of the last event on disk; 0 for a new journal. */
  lastSeq: number;
  /** Bytes of the file that hold whole lines: what is behind them was torn by a crash and is cut off. */
  length: number;
  clock: { now(): number };
}

/** Opens a run's journal for appending. The caller holds the feature's lock: there is one writer. */
export async function openJournal({ folder, lastSeq, length, clock }: OpenJournalOptions): Promise<Journal> {
  await mkdir(join(folder, 'blobs'), { recursive: true });
  const handle = await open(join(folder, 'journal.jsonl'), 'a+', 0o600);
  if ((await handle.stat()).size > length) await handle.truncate(length);
  let seq = lastSeq;
  let closed = false;

  async function append(event: NewEvent): Promise<JournalEvent> {
    if (closed) throw new InternalError(`Journal ${folder} was closed before ${event.type} was appended.`);
    const written = { seq: seq + 1, time: new Date(clock.now()).toISOString(), ...event } as JournalEvent;
    const line = Buffer.from(`${JSON.stringify(written)}\n`);
    if (line.length > LINE_LIMIT) {
      throw new InternalError(`Event ${event.type} takes ${line.length} bytes, expected at most ${LINE_LIMIT}.`);
    }
    await writeLine(handle, line);
    seq += 1;
    return written;
  }

  return {
    folder,
    append,
    putBlob: (bytes) => putBlob(folder, typeof bytes === 'string' ? Buffer.from(bytes) : bytes),
    getBlob: (digest) => getBlob(folder, digest),
    close: async () => {
      closed = true;
      await handle.close();
    },
  };
}

/** A line that went in by half would swallow the next one: it is taken back before the fault goes on. */
async function writeLine(handle: FileHandle, line: Buffer): Promise<void> {
  const before = (await handle.stat()).size;
  try {
    await handle.appendFile(line);
    await handle.datasync();
  } catch (error) {
    await handle.truncate(before).catch(() => undefined);
    throw error;
  }
}

async function putBlob(folder: string, bytes: Uint8Array): Promise<string> {
  const digest = `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
  const path = blobPath(folder, digest);
  if (await isThere(path, bytes.length)) return digest;
  await mkdir(dirname(path), { recursive: true });
  const partial = `${path}.partial`;
  const handle = await open(partial, 'w', 0o600);
  try {
    await handle.writeFile(bytes);
    await handle.datasync();
  } finally {
    await handle.close();
  }
  await rename(partial, path);
  return digest;
}

/**
 * Reads a blob of a run.
 * @throws StateError when it is missing or its bytes are not the ones recorded.
 */
export async function getBlob(folder: string, digest: string): Promise<Uint8Array> {
  const bytes = await readFile(blobPath(folder, digest)).catch((cause: unknown) => {
    throw new StateError(`Blob ${digest} of ${folder} cannot be read.`, { cause });
  });
  const found = `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
  if (found !== digest) throw new StateError(`Blob ${digest} of ${folder} holds other bytes (${found}).`);
  return bytes;
}

function blobPath(folder: string, digest: string): string {
  return join(folder, 'blobs', digest.replace('sha256:', ''));
}

async function isThere(path: string, length: number): Promise<boolean> {
  const handle = await open(path, 'r').catch(() => undefined);
  if (!handle) return false;
  try {
    return (await handle.stat()).size === length;
  } finally {
    await handle.close();
  }
}
