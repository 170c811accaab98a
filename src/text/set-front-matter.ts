import { isDeepStrictEqual } from 'node:util';
import { isMap, isNode, isScalar, parseDocument, stringify, type Pair } from 'yaml';
import { UsageError } from '../errors.ts';
import { frontMatterSpan, splitFrontMatter } from './front-matter.ts';
import { lineEndOf } from './lines.ts';

/**
 * Sets one key of a text's front matter (removes it when `value` is undefined) and keeps every other byte: byte order
 * mark, line ends, comments, order and quoting of the other keys. A text without front matter gets one.
 *
 * @throws UsageError when the front matter cannot be read (`place` is `line:column`), or when it is written in a way
 *   in which one key cannot be changed alone, such as a key whose value is referred to elsewhere.
 */
export function setFrontMatter(text: string, key: string, value: unknown): string {
  const split = splitFrontMatter(text);
  if (!split.ok) {
    const place = `${split.fault.line ?? 1}:${split.fault.column ?? 1}`;
    throw new UsageError(split.fault.message, { place, ...(split.fault.hint ? { hint: split.fault.hint } : {}) });
  }
  const lineEnd = lineEndOf(text);
  const mark = text.startsWith('\uFEFF') ? '\uFEFF' : '';
  const raw = text.slice(mark.length);
  if (!split.present) {
    if (value === undefined) return text;
    return mark + withLineEnds(`---\n${entry(key, value)}\n---\n\n`, lineEnd) + raw;
  }
  const { source, offsets } = normaliseWithOffsets(raw);
  const span = frontMatterSpan(source);
  if (!span) return text;
  const yaml = source.slice(span.yamlStart, span.yamlEnd);
  const change = changeOf(yaml, key, value);
  const at = (offset: number) => offsets[span.yamlStart + offset] ?? raw.length;
  const changed = mark + raw.slice(0, at(change.start)) + withLineEnds(change.text, lineEnd) + raw.slice(at(change.end));
  demandOthersKept(split.data, changed, key, value !== undefined);
  return changed;
}

function demandOthersKept(before: Record<string, unknown>, changed: string, key: string, isSet: boolean): void {
  const after = splitFrontMatter(changed);
  if (after.ok && key in after.data === isSet) {
    const without = (data: Record<string, unknown>) => ({ ...data, [key]: undefined });
    if (isDeepStrictEqual(without(before), without(after.data))) return;
  }
  throw new UsageError(`Unexpected form of front matter, expected one in which "${key}" can be changed alone.`, {
    hint: `Write "${key}" as a plain line of \`key: value\`.`,
  });
}

interface Change {
  start: number;
  end: number;
  text: string;
}

function changeOf(yaml: string, key: string, value: unknown): Change {
  const document = parseDocument(yaml, { version: '1.2', schema: 'core', logLevel: 'error' });
  const map = document.contents;
  if (isMap(map) && map.flow === true) {
    // A mapping in braces has no lines of its own to replace.
    if (value === undefined) document.delete(key);
    else document.set(key, value);
    return { start: 0, end: yaml.length, text: document.toString({ lineWidth: 0 }) };
  }
  const pair = isMap(map) ? map.items.find((item) => isScalar(item.key) && item.key.value === key) : undefined;
  if (!pair) {
    if (value === undefined) return { start: 0, end: 0, text: '' };
    const gap = yaml === '' || yaml.endsWith('\n') ? '' : '\n';
    return { start: yaml.length, end: yaml.length, text: `${gap}${entry(key, value)}\n` };
  }
  const { start, end } = spanOfPair(yaml, pair);
  if (value !== undefined) return { start, end, text: entry(key, value) };
  const lineEnd = yaml.indexOf('\n', end);
  return { start, end: lineEnd === -1 ? yaml.length : lineEnd + 1, text: '' };
}

/** From the key to the last character of its value; a comment behind the value is not part of it. */
function spanOfPair(yaml: string, pair: Pair): { start: number; end: number } {
  const start = isNode(pair.key) ? (pair.key.range?.[0] ?? 0) : 0;
  const keyEnd = isNode(pair.key) ? (pair.key.range?.[1] ?? start) : start;
  const colon = yaml.indexOf(':', keyEnd) + 1;
  const valueEnd = isNode(pair.value) ? (pair.value.range?.[1] ?? colon) : colon;
  return { start, end: start + yaml.slice(start, Math.max(valueEnd, colon)).trimEnd().length };
}

function entry(key: string, value: unknown): string {
  return stringify({ [key]: value }, { lineWidth: 0, version: '1.2' }).trimEnd();
}

function withLineEnds(text: string, lineEnd: string): string {
  return lineEnd === '\n' ? text : text.replaceAll('\n', lineEnd);
}

/** Normalises line ends and keeps, for each offset of the result, the offset in the raw text. */
function normaliseWithOffsets(raw: string): { source: string; offsets: number[] } {
  const offsets: number[] = [];
  let source = '';
  let done = 0;
  for (const match of raw.matchAll(/\r*\n|\r/g)) {
    for (let at = done; at <= match.index; at += 1) offsets.push(at);
    source += `${raw.slice(done, match.index)}\n`;
    done = match.index + match[0].length;
  }
  for (let at = done; at <= raw.length; at += 1) offsets.push(at);
  return { source: source + raw.slice(done), offsets };
}
