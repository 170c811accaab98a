import type { Nodes, Root } from 'mdast';
import { visit } from 'unist-util-visit';
import { headingSource, isTooLarge, parseMarkdown, sourceOf, spanOf } from './markdown.ts';

/**
 * Why a text cannot stand as a block, or undefined when it can. It can when, between two headings, it leaves both of
 * them alone and adds no heading and no definition: then no reader of the document is led astray by it.
 *
 * `text` is in its canonical form.
 */
export function blockFault(text: string): string | undefined {
  if (/^---[ \t]*\n(?:[^]*?\n)?---[ \t]*(?:\n|$)/.test(text)) return `Unexpected front matter in a text block, ${EXPECTED}`;
  const source = `${BEFORE}${text}${AFTER}`;
  if (isTooLarge(source)) return 'Unexpected text block larger than a document may be, expected a shorter one';
  const root = parseMarkdown(source);
  const open = swallowing(source, root);
  if (open) return open;
  for (const node of root.children.slice(1, -1)) {
    if (node.type === 'heading') return `Unexpected heading "${headingSource(source, node)}" in a text block, ${EXPECTED}`;
  }
  const definition = findDefinition(root);
  if (definition) return `Unexpected definition "${sourceOf(source, definition)}" in a text block, expected links written in place`;
  return undefined;
}

const EXPECTED = 'expected paragraphs, lists, tables or code';
const BEFORE = '## Before\n\n';
const AFTER = '\n\n## After\n';

function swallowing(source: string, root: Root): string | undefined {
  const sentinel = source.length - AFTER.length + 2;
  const last = root.children.at(-1);
  if (last?.type === 'heading' && spanOf(last).start === sentinel) return undefined;
  const start = last ? spanOf(last).start : BEFORE.length;
  const line = source.slice(BEFORE.length, start).split('\n').length;
  const what = last?.type === 'code' ? 'code fence' : last?.type === 'html' ? 'HTML' : 'Markdown';
  return `Unexpected open ${what} on line ${line} of a text block, expected it to be closed`;
}

function findDefinition(root: Root): Nodes | undefined {
  let found: Nodes | undefined;
  visit(root, ['definition', 'footnoteDefinition'], (node) => {
    found ??= node;
  });
  return found;
}
