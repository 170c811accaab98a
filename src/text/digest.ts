import { createHash } from 'node:crypto';
import { UsageError } from '../errors.ts';
import { memoise } from '../util/memoise.ts';
import { frontMatterSpan, splitFrontMatter } from './front-matter.ts';
import { normaliseText } from './lines.ts';
import { setFrontMatter } from './set-front-matter.ts';

/** Key of the front matter that says what an artifact was made from. */
export const DERIVED_FROM = 'derivedFrom';

/** `sha256:` and the hexadecimal SHA-256 of the bytes, for telling whether a file is exactly the one we know. */
export function bytesDigest(bytes: Uint8Array): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
}

/**
 * Digest for freshness: changes when a reader would see other words. Byte order mark, line ends, trailing blanks, runs
 * of blank lines and the artifact's own `derivedFrom` do not count. Never throws.
 */
export function contentDigest(text: string): string {
  return digestOf(text);
}

const digestOf = memoise((text) => itemDigest(withoutDerivedFrom(normaliseText(text))), 64);

/** Like `contentDigest`, for a slice of a file, such as one criterion. */
export function itemDigest(text: string): string {
  const lines = normaliseText(text)
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n');
  const folded = lines
    .replace(/\n{3,}/g, '\n\n')
    .replace(/^\n+/, '')
    .trimEnd();
  return bytesDigest(new TextEncoder().encode(`${folded}\n`));
}

/** Front matter that is broken or oddly written stays as it is: the digest then tells more, never less. */
function withoutDerivedFrom(text: string): string {
  const split = splitFrontMatter(text);
  if (!split.ok || !(DERIVED_FROM in split.data)) return text;
  const without = removeKey(text);
  if (without === undefined) return text;
  const span = frontMatterSpan(without);
  const isEmpty = span !== undefined && without.slice(span.yamlStart, span.yamlEnd).trim() === '';
  return isEmpty ? without.slice(span.end) : without;
}

function removeKey(text: string): string | undefined {
  try {
    return setFrontMatter(text, DERIVED_FROM, undefined);
  } catch (error) {
    if (error instanceof UsageError) return undefined;
    throw error;
  }
}
