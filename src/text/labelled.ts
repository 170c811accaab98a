import type { List, ListItem, RootContent } from 'mdast';
import { lineOf, sourceOf, spanOf } from './markdown.ts';
import { canonicalLine } from './text-types.ts';

/** A list item `- **Label:** value`, with the labelled items nested in it. */
export interface LabelledItem {
  /** As written, without the colon. */
  label: string;
  /** One line; empty when nothing stands behind the label. */
  value: string;
  /** 1-based. */
  line: number;
  items: LabelledItem[];
}

/** Text that is no labelled item. */
export interface Leftover {
  /** 1-based. */
  line: number;
  text: string;
}

export interface LabelledItems {
  items: LabelledItem[];
  leftovers: Leftover[];
}

/**
 * Reads labelled items from the lists among `nodes`; `source` is the text their offsets count in. The colon may stand
 * inside or outside the bold or be missing, the value may go on over lines, and any bullet or number will do. All
 * other text comes back as leftovers, except `_None._`, the mark of an empty list.
 */
export function readLabelledItems(source: string, nodes: readonly RootContent[]): LabelledItems {
  const result: LabelledItems = { items: [], leftovers: [] };
  for (const node of nodes) {
    if (node.type === 'list') readList(source, node, result);
    else if (!isNone(source, node)) result.leftovers.push(leftover(source, node));
  }
  return result;
}

/** The form in which labels are compared. */
export function labelKey(label: string): string {
  return label.toLowerCase().replace(/\s+/g, ' ').trim();
}

function readList(source: string, list: List, result: LabelledItems): void {
  for (const node of list.children) {
    const item = readItem(source, node, result.leftovers);
    if (item) result.items.push(item);
    else result.leftovers.push(leftover(source, node));
  }
}

function readItem(source: string, node: ListItem, leftovers: Leftover[]): LabelledItem | undefined {
  const [head, ...rest] = node.children;
  if (head?.type !== 'paragraph') return undefined;
  const paragraph = sourceOf(source, head);
  // The span of a paragraph holds the box of a task, its nodes do not.
  const parts = splitLabel(typeof node.checked === 'boolean' ? paragraph.replace(/^\[[ x]\]\s+/i, '') : paragraph);
  if (!parts) return undefined;
  const nested = readLabelledItems(source, rest);
  leftovers.push(...nested.leftovers);
  return { ...parts, line: lineOf(head), items: nested.items };
}

/**
 * Works on the source and not on the `strong` node, because `**Label:**value` without a blank is bold only in the eyes
 * of a person. The first closing marks end the label, so that later ones belong to the value.
 */
function splitLabel(paragraph: string): { label: string; value: string } | undefined {
  const match = /^(\*\*|__)([^\n]*?)\1/.exec(paragraph);
  const inner = match?.[2]?.trim();
  if (!match || inner === undefined || inner === '') return undefined;
  const behind = paragraph.slice(match[0].length);
  const hasColon = inner.endsWith(':');
  const label = hasColon ? inner.slice(0, -1).trim() : inner;
  // With the colon inside, one behind the bold is the value's own.
  return { label, value: canonicalLine(hasColon ? behind : behind.replace(/^\s*:/, '')) };
}

function isNone(source: string, node: RootContent): boolean {
  return node.type === 'paragraph' && /^[*_]?none\.?[*_]?$/i.test(sourceOf(source, node).trim());
}

function leftover(source: string, node: RootContent | ListItem): Leftover {
  return { line: lineOf(node), text: source.slice(spanOf(node).start, spanOf(node).end) };
}
