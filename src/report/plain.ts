/**
 * One line that is safe to show: what a role, a command or a file says may hold escape codes, carriage returns or
 * marks that turn the reading direction, and none of them may reach a terminal or a log.
 */
export function plainLine(text: string): string {
  return text
    .replace(ESCAPE_SEQUENCE, '')
    .replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')
    .replace(/[\u202a-\u202e\u2066-\u2069]/g, '')
    .trimEnd();
}

/** A text of several lines, each made plain. */
export function plainLines(text: string): string[] {
  return text.split(/\r\n|[\n\r\u2028\u2029]/).map(plainLine);
}

/** Sequences that colour, move the cursor (CSI) or set titles and links (OSC). */
// oxlint-disable-next-line no-control-regex -- finding them is what it is for
const ESCAPE_SEQUENCE = new RegExp('(?:\\u001b\\[|\\u009b)[0-?]*[ -/]*[@-~]|\\u001b\\][^\\u0007\\u001b]*(?:\\u0007|\\u001b\\\\)?', 'g');
