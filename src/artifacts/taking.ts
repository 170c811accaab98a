import { type LabelledItem, type LabelledItems, labelKey, readLabelledItems } from '../text/labelled.ts';
import { type Section, headingKey } from '../text/outline.ts';
import { canonicalBlock } from '../text/text-types.ts';
import { type Located, at } from './located.ts';
import type { Reading } from './reading.ts';

/** The title behind its prefix (`# Story: …`); the whole heading when a person dropped the prefix. */
export function takeTitle(reading: Reading, prefix: string): Located | undefined {
  const section = passTitle(reading);
  if (!section) return undefined;
  const start = new RegExp(`^${prefix}\\s*:`, 'i').exec(section.heading)?.[0] ?? '';
  return at(section.line, section.heading.slice(start.length));
}

/** Takes the title of a kind whose title says nothing of its own; what stands below it is unplaced. */
export function passTitle(reading: Reading): Section | undefined {
  const section = takeTitleSection(reading);
  if (section) leave(reading, readLabelledItems(reading.outline.source, section.nodes), []);
  return section;
}

/** The first section of depth 1. */
export function takeTitleSection(reading: Reading): Section | undefined {
  const section = reading.outline.sections.find((candidate) => candidate.depth === 1);
  if (section) reading.taken.add(section);
  return section;
}

/** The section that bears one of these names; a second one is a finding. */
export function takeSection(reading: Reading, ...names: string[]): Section | undefined {
  const keys = names.map(headingKey);
  const [first, second] = reading.outline.sections.filter(
    (section) => section.depth <= 2 && !reading.taken.has(section) && keys.includes(headingKey(section.heading)),
  );
  if (second) {
    const message = `Unexpected second section "${second.heading}", expected one (the first is on line ${first?.line}).`;
    reading.findings.push({ rule: 'duplicate-section', severity: 'error', message, line: second.line, column: 1 });
  }
  if (first) reading.taken.add(first);
  return first;
}

/** A section that is one block. Undefined when it is missing. */
export function takeBlock(section: Section | undefined): Located | undefined {
  return section && at(section.line, canonicalBlock(section.body));
}

/** The labelled items of a section by label; `nameOf` tells what a written label is counted as. */
export function takeItems<Label extends string>(
  reading: Reading,
  section: Section | undefined,
  labels: readonly Label[],
  nameOf?: (label: string) => string,
): Record<Label, LabelledItem[]> {
  const items = section ? readLabelledItems(reading.outline.source, section.nodes) : { items: [], leftovers: [] };
  return leave(reading, items, labels, nameOf);
}

/** The labelled items nested in an item, by label. */
export function takeNested<Label extends string>(
  reading: Reading,
  item: LabelledItem,
  labels: readonly Label[],
): Record<Label, LabelledItem[]> {
  return leave(reading, { items: item.items, leftovers: [] }, labels);
}

/** The value of an item that has nothing nested in it. */
export function takeValue(reading: Reading, item: LabelledItem): Located {
  leave(reading, { items: item.items, leftovers: [] }, []);
  return at(item.line, item.value);
}

/** The values of such items. */
export function takeValues(reading: Reading, items: readonly LabelledItem[]): Located[] {
  return items.map((item) => takeValue(reading, item));
}

/** The value of the only item; a second one is a finding. */
export function takeOnly(reading: Reading, items: readonly LabelledItem[]): Located | undefined {
  const [first, second] = items;
  if (second) {
    const message = `Unexpected second "${second.label}", expected one.`;
    reading.findings.push({ rule: 'duplicate-label', severity: 'error', message, line: second.line, column: 1 });
  }
  return first && takeValue(reading, first);
}

/** Sorts items by label; those with other labels, and all other text, become unplaced. */
export function leave<Label extends string>(
  reading: Reading,
  { items, leftovers }: LabelledItems,
  labels: readonly Label[],
  nameOf: (label: string) => string = (label) => label,
): Record<Label, LabelledItem[]> {
  const groups = Object.fromEntries(labels.map((label) => [label, []])) as unknown as Record<Label, LabelledItem[]>;
  for (const item of items) {
    const label = labels.find((candidate) => labelKey(candidate) === labelKey(nameOf(item.label)));
    if (label !== undefined) groups[label].push(item);
    else leaveItem(reading, item);
  }
  reading.unplaced.push(...leftovers);
  return groups;
}

/** Puts an item and all below it among the unplaced. */
export function leaveItem(reading: Reading, item: LabelledItem): void {
  reading.unplaced.push({ line: item.line, text: `**${item.label}:** ${item.value}`.trimEnd() });
  for (const nested of item.items) leaveItem(reading, nested);
}
