/** Most characters one answer may hold. */
export const ANSWER_LIMIT = 60_000;

/** Cuts a text at a number of characters (UTF-16 units), never within a pair, with a note of what is missing. */
export function capText(text: string, limit: number = ANSWER_LIMIT): string {
  if (text.length <= limit) return text;
  const end = wholeLength(text, limit);
  return `${text.slice(0, end)}\n[... ${text.length - end} characters left out ...]`;
}

/** Cuts one line to a width, without regard to what is missing. */
export function capLine(line: string, limit: number): string {
  return line.length <= limit ? line : `${line.slice(0, wholeLength(line, limit))}...`;
}

function wholeLength(text: string, limit: number): number {
  const last = text.charCodeAt(limit - 1);
  return last >= 0xd800 && last <= 0xdbff ? limit - 1 : limit;
}
