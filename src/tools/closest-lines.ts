import { capLine } from './answer-text.ts';

const MOST_LINES = 12;
const SHOWN_WIDTH = 200;
const LEAST_LIKENESS = 0.35;

/**
 * The lines of a text that are most like a wanted one, each with its number, for a person or model that quoted it
 * wrongly. Empty when nothing is like it. Linear in the length of the text.
 */
export function closestLines(text: string, wanted: string): string {
  const lines = text.split(/\r*\n/);
  const wantedLines = wanted.split(/\r*\n/).slice(0, MOST_LINES);
  const bags = wantedLines.map(wordsOf);
  // One bag per line, made once: a window of lines is compared word by word.
  const candidates = lines.map(wordsOf);
  let best = { start: -1, likeness: LEAST_LIKENESS };
  for (let start = 0; start < lines.length; start += 1) {
    let sum = 0;
    for (const [offset, bag] of bags.entries()) sum += likeness(bag, candidates[start + offset] ?? new Set());
    if (sum / bags.length > best.likeness) best = { start, likeness: sum / bags.length };
  }
  if (best.start < 0) return '';
  const last = Math.min(lines.length, best.start + bags.length);
  return lines
    .slice(best.start, last)
    .map((line, offset) => `${best.start + offset + 1}: ${capLine(line, SHOWN_WIDTH)}`)
    .join('\n');
}

/** Words and single signs of a line; pairs of letters tell a misspelt word from another one. */
function wordsOf(line: string): Set<string> {
  const words = new Set<string>();
  const trimmed = line.slice(0, 2000).trim().toLowerCase();
  for (const word of trimmed.match(/[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]/gu) ?? []) {
    words.add(word);
    for (let index = 0; index + 2 < word.length; index += 1) words.add(word.slice(index, index + 3));
  }
  return words;
}

/** Share of what the two have in common in what they have together (Jaccard), from 0 to 1; two empty ones are alike. */
function likeness(one: Set<string>, other: Set<string>): number {
  if (one.size === 0 && other.size === 0) return 1;
  let common = 0;
  for (const word of one) if (other.has(word)) common += 1;
  return common / (one.size + other.size - common);
}
