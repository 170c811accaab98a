/**
 * The text as the parsers see it: no byte order mark, every line end a single LF. CR CR LF counts as one line end,
 * because that is what a file saved twice by a careless tool holds, and its author sees one line there.
 */
export function normaliseText(text: string): string {
  return withoutByteOrderMark(text).replace(/\r*\n|\r/g, '\n');
}

/** The text without a leading byte order mark. */
export function withoutByteOrderMark(text: string): string {
  return text.startsWith('\uFEFF') ? text.slice(1) : text;
}

/** Replaces lone surrogates, which no file and no request can hold, by U+FFFD. */
export function wellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, '\uFFFD');
}

/** 1-based line and column (UTF-16 units) of an offset in a text whose line ends are LF. */
export function positionAt(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset);
  const lineStart = before.lastIndexOf('\n') + 1;
  let line = 1;
  for (let at = before.indexOf('\n'); at !== -1; at = before.indexOf('\n', at + 1)) line += 1;
  return { line, column: offset - lineStart + 1 };
}

/** The line end that a raw text uses first; LF when it has none. */
export function lineEndOf(text: string): string {
  return /\r*\n|\r/.exec(text)?.[0] ?? '\n';
}
