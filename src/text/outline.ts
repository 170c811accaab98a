import type { RootContent } from 'mdast';
import type { Fault } from './fault.ts';
import { findOpenEnds } from './fence.ts';
import { normaliseText } from './lines.ts';
import { MARKDOWN_LIMIT, headingSource, isTooLarge, lineOf, parseMarkdown, spanOf } from './markdown.ts';

/** What stands between one top-level heading and the next one, of whatever depth. */
export interface Section {
  /** Source of the heading without its marks. */
  heading: string;
  /** 1 to 6. */
  depth: number;
  /** 1-based line of the heading. */
  line: number;
  /** Source below the heading, exactly. */
  body: string;
  nodes: RootContent[];
  /** Offsets into the outline's source, heading included. */
  start: number;
  end: number;
}

export interface Outline {
  /** The normalised text that all offsets count in. */
  source: string;
  /** What stands above the first heading, front matter excluded. */
  preamble: RootContent[];
  sections: Section[];
  /** Open fences and comments that swallow the rest of the text. */
  openEnds: Fault[];
}

/** Splits a text at its top-level headings, as the syntax tree sees them. A text that is too large is a fault. */
export function readOutline(text: string): { ok: true; outline: Outline } | { ok: false; fault: Fault } {
  const source = normaliseText(text);
  if (isTooLarge(source)) {
    const message = `Unexpected file of more than ${MARKDOWN_LIMIT / 1024} KB, expected a shorter one.`;
    return { ok: false, fault: { message, hint: 'Split the file.' } };
  }
  const root = parseMarkdown(source);
  const preamble: RootContent[] = [];
  const sections: Section[] = [];
  for (const node of root.children) {
    const last = sections.at(-1);
    if (node.type === 'heading') {
      const { start, end } = spanOf(node);
      if (last) close(last, source, start);
      sections.push({ heading: headingSource(source, node), depth: node.depth, line: lineOf(node), body: '', nodes: [], start, end });
    } else if (last) last.nodes.push(node);
    else if (node.type !== 'yaml') preamble.push(node);
  }
  const last = sections.at(-1);
  if (last) close(last, source, source.length);
  return { ok: true, outline: { source, preamble, sections, openEnds: findOpenEnds(source, root) } };
}

/** The form in which headings are compared: case, a number in front, emphasis and a colon behind do not count. */
export function headingKey(heading: string): string {
  return heading
    .slice(0, 200)
    .toLowerCase()
    .replace(/[*_`]/g, '')
    .replace(/^\s*\d+(?:\.\d+)*[.):]?\s+/, '')
    .replace(/[\s#:]+$/, '')
    .replace(/\s+/g, ' ')
    .trim();
}

/** The end of a section together with the deeper ones below it. */
export function endWithSubsections(outline: Outline, section: Section): number {
  const index = outline.sections.indexOf(section);
  const next = outline.sections.slice(index + 1).find((other) => other.depth <= section.depth);
  return next?.start ?? outline.source.length;
}

function close(section: Section, source: string, end: number): void {
  section.body = source.slice(section.end, end);
  section.end = end;
}
