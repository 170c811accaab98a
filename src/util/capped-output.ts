/** Output of a command, kept within a limit while it streams. */
export interface CappedOutput {
  /** Bytes added so far, kept or not. */
  readonly bytes: number;
  add(chunk: Uint8Array): void;
  /** Well-formed text: all of it, or head and tail around a line that says how many bytes were left out. */
  text(): string;
}

/**
 * Keeps at most `limit` bytes, half from the head and half from the tail, in constant memory. A character that the
 * limit would cut in two is left out whole.
 */
export function createCappedOutput(limit: number): CappedOutput {
  const headLimit = Math.floor(limit / 2);
  const tailLimit = limit - headLimit;
  const head: Uint8Array[] = [];
  const tail = createRing(tailLimit);
  let headBytes = 0;
  let total = 0;

  return {
    get bytes() {
      return total;
    },
    add(chunk) {
      total += chunk.length;
      const toHead = Math.min(chunk.length, headLimit - headBytes);
      if (toHead > 0) {
        head.push(chunk.slice(0, toHead));
        headBytes += toHead;
      }
      tail.add(chunk.subarray(toHead));
    },
    text() {
      const first = Buffer.concat(head);
      const last = tail.bytes();
      if (total <= limit) return decode(Buffer.concat([first, last]));
      const start = first.subarray(0, lengthOfWholeCharacters(first));
      const end = last.subarray(startOfFirstCharacter(last));
      const leftOut = total - start.length - end.length;
      return `${decode(start)}\n[... ${leftOut} bytes left out ...]\n${decode(end)}`;
    },
  };
}

/** Index just behind the last character that is complete, for bytes that were cut at their end. */
function lengthOfWholeCharacters(bytes: Uint8Array): number {
  for (let index = bytes.length - 1; index >= Math.max(0, bytes.length - 4); index -= 1) {
    const byte = bytes[index] ?? 0;
    if (isContinuation(byte)) continue;
    return index + characterLength(byte) <= bytes.length ? bytes.length : index;
  }
  return bytes.length;
}

/** Index of the first byte that begins a character, for bytes that were cut at their start. */
function startOfFirstCharacter(bytes: Uint8Array): number {
  let index = 0;
  while (index < 3 && index < bytes.length && isContinuation(bytes[index] ?? 0)) index += 1;
  return index;
}

function isContinuation(byte: number): boolean {
  return (byte & 0xc0) === 0x80;
}

function characterLength(firstByte: number): number {
  if (firstByte >= 0xf0) return 4;
  if (firstByte >= 0xe0) return 3;
  return firstByte >= 0xc0 ? 2 : 1;
}

function decode(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
}

/** The last `size` bytes of what was added. */
function createRing(size: number) {
  let buffer: Uint8Array | undefined;
  let end = 0;
  let filled = 0;
  return {
    add(chunk: Uint8Array): void {
      if (chunk.length === 0 || size === 0) return;
      buffer ??= new Uint8Array(size);
      const part = chunk.length > size ? chunk.subarray(chunk.length - size) : chunk;
      const untilEdge = Math.min(part.length, size - end);
      buffer.set(part.subarray(0, untilEdge), end);
      buffer.set(part.subarray(untilEdge), 0);
      end = (end + part.length) % size;
      filled = Math.min(size, filled + part.length);
    },
    bytes(): Uint8Array {
      if (buffer === undefined) return new Uint8Array(0);
      if (filled < size) return buffer.slice(0, filled);
      return Buffer.concat([buffer.subarray(end), buffer.subarray(0, end)]);
    },
  };
}
