import type { JournalEvent, NewEvent } from './event.ts';

/** The durable record of one run. */
export interface Journal {
  /** Absolute path of the run's folder. */
  readonly folder: string;
  /** Appends, synced, and returns the event as written. Rejects for a line over 64 KB. */
  append(event: NewEvent): Promise<JournalEvent>;
  /** Stores bytes under their digest, synced; returns the digest. Storing the same bytes twice is free. */
  putBlob(bytes: Uint8Array | string): Promise<string>;
  /** Rejects when the blob is missing or does not match its digest. */
  getBlob(digest: string): Promise<Uint8Array>;
  close(): Promise<void>;
}
