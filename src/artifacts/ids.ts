import type { Finding } from '../model/failure.ts';

export type IdPrefix = 'AC' | 'R' | 'A' | 'Q';

/** `AC1`, `ac-01` and `AC-1` are one id; anything else comes back trimmed. */
export function canonicalId(text: string): string {
  const match = /^(AC|R|A|Q)[-_ ]?0*([1-9]\d*)$/i.exec(text.trim());
  return match ? `${match[1]?.toUpperCase()}-${match[2]}` : text.trim();
}

/** The id of a story in its one form. */
export function canonicalStoryId(text: string): string {
  return text.trim().normalize('NFC');
}

/** Whether a text can be a story's id and so part of its file name, in any script. */
export function isStoryId(text: string): boolean {
  return text.length <= 120 && /^story(?:-[\p{L}\p{M}\p{N}]+)+$/u.test(text);
}

/** `story-login:AC-1`, the id of a criterion among all stories. */
export function qualifiedId(storyId: string, criterionId: string): string {
  return `${storyId}:${criterionId}`;
}

/** The parts of a qualified id, in canonical form, or undefined. */
export function parseQualifiedId(text: string): { story: string; criterion: string } | undefined {
  const at = text.lastIndexOf(':');
  const story = canonicalStoryId(text.slice(0, Math.max(at, 0)));
  const criterion = canonicalId(text.slice(at + 1));
  return isStoryId(story) && /^AC-\d+$/.test(criterion) ? { story, criterion } : undefined;
}

/** Whether a test's title holds this qualified id and not merely a longer one. */
export function carriesId(title: string, id: string): boolean {
  for (let at = title.indexOf(id); at !== -1; at = title.indexOf(id, at + 1)) {
    const before = title.slice(0, at);
    const after = title.slice(at + id.length);
    if (!/[\p{L}\p{M}\p{N}-]$/u.test(before) && !/^\d/.test(after)) return true;
  }
  return false;
}

/**
 * The id for a new story: `story-` and the words of its title, in its own script, with a number behind when it is
 * taken.
 */
export function allocateStoryId(title: string, taken: ReadonlySet<string>): string {
  const words = title
    .toLowerCase()
    .normalize('NFC')
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, '-');
  // File names hold 255 bytes; a character takes up to four.
  const slug = Array.from(words).slice(0, 56).join('').replace(/^-|-$/g, '') || 'untitled';
  let id = `story-${slug}`;
  for (let number = 2; taken.has(id); number += 1) id = `story-${slug}-${number}`;
  return id;
}

/**
 * Gives items that come without an id the id of the known item with the same text, where exactly one has it and nobody
 * claims it: a role that hands the same thing in again has not made a new one.
 */
export function recogniseIds<Item extends { id?: string | undefined }, Known extends { id: string }>(
  items: readonly Item[],
  known: readonly Known[],
  textOf: (item: Item | Known) => string,
  canonical: (id: string) => string = canonicalId,
): Item[] {
  const claimed = new Set(items.flatMap(({ id }) => (id === undefined ? [] : [canonical(id)])));
  return items.map((item) => {
    if (item.id !== undefined) return item;
    const same = known.filter((one) => textOf(one) === textOf(item) && !claimed.has(one.id));
    const [only] = same;
    if (only === undefined || same.length > 1) return item;
    claimed.add(only.id);
    return { ...item, id: only.id };
  });
}

export interface Allocation<Item> {
  items: (Item & { id: string })[];
  /** All ids that were used once and are not any more, in order. */
  retired: string[];
  findings: Finding[];
}

/**
 * Gives every item an id: one that `known` has is kept, every other item gets the next number above the highest ever
 * used. `field` names the list in findings.
 */
export function allocateIds<Item extends { id?: string | undefined }>(
  prefix: IdPrefix,
  items: readonly Item[],
  used: { known: readonly string[]; retired: readonly string[] },
  field: string,
): Allocation<Item> {
  const findings: Finding[] = [];
  const kept = new Set<string>();
  let highest = Math.max(0, ...[...used.known, ...used.retired].map((id) => numberOf(prefix, id)));
  const wanted = items.map((item, index) => {
    const id = item.id === undefined ? undefined : canonicalId(item.id);
    if (id === undefined || !used.known.includes(id)) return undefined;
    if (kept.has(id)) findings.push(twice(id, `${field}[${index}].id`));
    kept.add(id);
    return id;
  });
  const allocated = items.map((item, index) => ({ ...item, id: wanted[index] ?? `${prefix}-${(highest += 1)}` }));
  const ours = [...used.known, ...used.retired].filter((id) => numberOf(prefix, id) > 0 && !kept.has(id));
  const retired = [...new Set(ours)].toSorted((a, b) => numberOf(prefix, a) - numberOf(prefix, b));
  return { items: allocated, retired, findings };
}

function numberOf(prefix: IdPrefix, id: string): number {
  return id.startsWith(`${prefix}-`) ? Number(id.slice(prefix.length + 1)) : 0;
}

function twice(id: string, field: string): Finding {
  return { rule: 'duplicate-id', severity: 'error', message: `Unexpected second "${id}" (${field}), expected every id once.`, field };
}
