import { Buffer } from 'node:buffer';
import type { Heading, Nodes, Root } from 'mdast';
import { remark } from 'remark';
import remarkFrontmatter from 'remark-frontmatter';
import remarkGfm from 'remark-gfm';
import { InternalError, UsageError } from '../errors.ts';
import { memoise } from '../util/memoise.ts';

/** Most bytes (UTF-8) of Markdown that are parsed: beyond this the parser takes tens of seconds. */
export const MARKDOWN_LIMIT = 512 * 1024;

/**
 * Parses GitHub-flavoured Markdown with YAML front matter into its syntax tree. Offsets in the tree are offsets into
 * `text`, which must be normalised first (`normaliseText`). The tree is shared and must not be changed.
 *
 * @throws UsageError when the text is larger than `MARKDOWN_LIMIT`.
 */
export function parseMarkdown(text: string): Root {
  if (isTooLarge(text)) {
    throw new UsageError(`Unexpected Markdown of ${Buffer.byteLength(text)} bytes, expected at most ${MARKDOWN_LIMIT}.`, {
      hint: 'Split the file.',
    });
  }
  return parse(text);
}

/** Whether `parseMarkdown` would refuse the text for its size. */
export function isTooLarge(text: string): boolean {
  // A UTF-16 unit takes at most three bytes, so most texts need no counting.
  return text.length * 3 > MARKDOWN_LIMIT && Buffer.byteLength(text) > MARKDOWN_LIMIT;
}

/** Where a node stands in the parsed text, as offsets. */
export function spanOf(node: Nodes): { start: number; end: number } {
  const start = node.position?.start.offset;
  const end = node.position?.end.offset;
  if (start === undefined || end === undefined) throw new InternalError(`A ${node.type} node has no position.`);
  return { start, end };
}

/** The source of a node, exactly as written. */
export function sourceOf(text: string, node: Nodes): string {
  const { start, end } = spanOf(node);
  return text.slice(start, end);
}

/** 1-based line on which a node starts. */
export function lineOf(node: Nodes): number {
  return node.position?.start.line ?? 1;
}

/**
 * The source of a heading without its marks. A closing run of `#` is kept: it may be part of the words ("Learn C #"),
 * and only the source can tell what was written.
 */
export function headingSource(text: string, heading: Heading): string {
  const source = sourceOf(text, heading);
  const atx = /^#{1,6}(?:[ \t]+|$)/.exec(source);
  if (atx) return source.slice(atx[0].length).trim();
  return source
    .split('\n')
    .slice(0, -1)
    .map((line) => line.trim())
    .join(' ');
}

const parse = memoise((text) => parser().parse(text), 24);

type Parser = { parse(text: string): Root };
let shared: Parser | undefined;

/** Made at first use, so that importing this file costs nothing more than loading it. */
function parser(): Parser {
  shared ??= remark().use(remarkFrontmatter, ['yaml']).use(remarkGfm).freeze();
  return shared;
}
