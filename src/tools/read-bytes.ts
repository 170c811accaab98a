import { open } from 'node:fs/promises';
import { constants } from 'node:fs';
import { CallerFault } from './define-tool.ts';

/** Most bytes of a file that a tool takes into memory. */
export const FILE_LIMIT = 1_000_000;

export interface FileStart {
  bytes: Uint8Array;
  /** Size of the whole file in bytes. */
  size: number;
}

/** The first bytes of a regular file; a missing one is `undefined`. Folders, pipes and devices are a fault of the caller. */
export async function readStart(absolute: string, shown: string, limit = FILE_LIMIT): Promise<FileStart | undefined> {
  // Opening a pipe without O_NONBLOCK waits for somebody to write into it, for ever.
  const file = await open(absolute, constants.O_RDONLY | constants.O_NONBLOCK).catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (file === undefined) return undefined;
  try {
    const status = await file.stat();
    if (status.isDirectory()) throw new CallerFault(`"${shown}" is a folder; use list_files.`);
    if (!status.isFile()) throw new CallerFault(`"${shown}" is not a regular file.`);
    const buffer = new Uint8Array(Math.min(limit, status.size));
    let filled = 0;
    while (filled < buffer.length) {
      const { bytesRead } = await file.read(buffer, filled, buffer.length - filled, filled);
      if (bytesRead === 0) break;
      filled += bytesRead;
    }
    return { bytes: buffer.subarray(0, filled), size: status.size };
  } finally {
    await file.close();
  }
}

/** All bytes of a regular file that a tool is about to change; over the limit is a fault of the caller. */
export async function readWhole(absolute: string, shown: string): Promise<Uint8Array | undefined> {
  const start = await readStart(absolute, shown, FILE_LIMIT + 1);
  if (start !== undefined && start.size > FILE_LIMIT) {
    throw new CallerFault(`"${shown}" has ${start.size} bytes; tools change files of up to ${FILE_LIMIT}.`);
  }
  return start?.bytes;
}

/** Whether bytes are not text: a NUL within the first 8 KB, as git judges it. */
export function isBinary(bytes: Uint8Array): boolean {
  return bytes.subarray(0, 8000).includes(0);
}
