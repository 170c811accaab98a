import type { Finding } from '../model/failure.ts';
import { itemDigest } from '../text/digest.ts';
import { readLabelledItems } from '../text/labelled.ts';
import { sourceOf } from '../text/markdown.ts';
import { type Outline, type Section, endWithSubsections, readOutline } from '../text/outline.ts';
import { at } from './located.ts';
import type { Reading } from './reading.ts';
import { leave, takeValues } from './taking.ts';

export interface CriterionPlace {
  /** `AC-1`. */
  id: string;
  title: string;
  /** 1-based line of its heading. */
  line: number;
  /** Digest of its heading and all below it. */
  digest: string;
}

/**
 * The criteria of a story, found by the ids in its headings, at any depth. A text that cannot be read at all has none.
 * Never throws.
 */
export function criteriaOf(text: string): CriterionPlace[] {
  const read = readOutline(text);
  if (!read.ok) return [];
  const { outline } = read;
  return criterionSections(outline).map(({ section, id, title }, index, all) => {
    const next = all[index + 1]?.section.start ?? outline.source.length;
    const end = Math.min(next, endWithSubsections(outline, section));
    return { id, title, line: section.line, digest: itemDigest(outline.source.slice(section.start, end)) };
  });
}

/** Takes all criteria out of a story; an id that comes twice is a finding. */
export function takeCriteria(reading: Reading): unknown[] {
  const found = criterionSections(reading.outline);
  const seen = new Map<string, number>();
  return found.map(({ section, id, title }) => {
    reading.taken.add(section);
    const first = seen.get(id);
    if (first === undefined) seen.set(id, section.line);
    else reading.findings.push(duplicate(id, section.line, first));
    const items = readLabelledItems(reading.outline.source, section.nodes);
    const groups = leave(reading, { ...items, items: continued(items.items) }, ['Given', 'When', 'Then']);
    return at(section.line, {
      id,
      title: at(section.line, title),
      given: takeValues(reading, groups.Given),
      when: takeValues(reading, groups.When),
      then: takeValues(reading, groups.Then),
    });
  });
}

/**
 * Finds lines that were meant to be the heading of a criterion and are none for lack of a blank. Inside a block (whose
 * section is `free`) it is only a warning, since a block may say anything.
 */
export function findMissedCriteria(reading: Reading, free: Section | undefined): Finding[] {
  const { source, preamble, sections } = reading.outline;
  const places = [{ nodes: preamble, section: undefined }, ...sections.map((section) => ({ nodes: section.nodes, section }))];
  return places.flatMap(({ nodes, section }) =>
    nodes
      .filter((node) => node.type === 'paragraph')
      .flatMap((node) =>
        sourceOf(source, node)
          .split('\n')
          .flatMap((text, offset): Finding[] => {
            const marks = /^\s{0,3}(#{1,6})AC[-_ ]?\d/i.exec(text)?.[1];
            if (marks === undefined) return [];
            return [
              {
                rule: 'criterion-heading',
                severity: section !== undefined && section === free ? 'warning' : 'error',
                message: `Unexpected text "${text.trim().slice(0, 80)}" that looks like a criterion heading but lacks a space after ${marks}.`,
                line: (node.position?.start.line ?? 1) + offset,
                column: 1,
                hint: `Write \`${marks} AC-1: …\`.`,
              },
            ];
          }),
      ),
  );
}

interface CriterionSection {
  section: Section;
  id: string;
  title: string;
}

function criterionSections(outline: Outline): CriterionSection[] {
  return outline.sections.flatMap((section) => {
    const heading = parseHeading(section.heading);
    return heading ? [{ section, ...heading }] : [];
  });
}

/** `AC-1: title`, also `AC1 - title`, `**AC-01** title` and the like. Only the first separator is taken off. */
function parseHeading(heading: string): { id: string; title: string } | undefined {
  const match = /^([*_]{0,3})AC[-_ ]?0*([1-9]\d{0,5})(?![\p{L}\p{N}])(.*)$/isu.exec(heading);
  if (!match) return undefined;
  const [, marks = '', number, rest = ''] = match;
  const inner = marks !== '' && rest.endsWith(marks) ? rest.slice(0, -marks.length) : rest;
  const unmarked = marks !== '' && inner === rest ? rest.replace(marks, '') : inner;
  return { id: `AC-${number}`, title: unmarked.replace(/^\s*[:.)\u2013\u2014-]?\s*/, '') };
}

/** `And` and `But` go on with the label before them. */
function continued<Item extends { label: string }>(items: Item[]): Item[] {
  let label = '';
  return items.map((item) => {
    if (/^(?:and|but)$/i.test(item.label)) return { ...item, label: label === '' ? item.label : label };
    label = item.label;
    return item;
  });
}

function duplicate(id: string, line: number, first: number): Finding {
  const message = `Unexpected second criterion ${id}, expected every id once (the first is on line ${first}).`;
  return { rule: 'duplicate-id', severity: 'error', message, line, column: 1 };
}
