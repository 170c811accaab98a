import type * as z from 'zod';
import type { KindName, Parsed, Unplaced } from '../model/artifact.ts';
import type { Finding } from '../model/failure.ts';
import { splitFrontMatter } from '../text/front-matter.ts';
import { sourceOf } from '../text/markdown.ts';
import { type Outline, type Section, readOutline } from '../text/outline.ts';
import { checkValue, faultFinding } from './findings.ts';
import { resolveLocated } from './located.ts';

/** A file while its kind picks the data out of it. What nobody takes ends up as unplaced. */
export interface Reading {
  /** The front matter. */
  frontMatter: Record<string, unknown>;
  outline: Outline;
  findings: Finding[];
  unplaced: Unplaced[];
  taken: Set<Section>;
}

/**
 * Reads a whole file of a kind: `pick` takes the data out of the reading as a tree whose values may say on which line
 * they were read (`at`); then the schema judges it. Any finding of severity error refuses the file.
 */
export function readArtifact<Data>(
  text: string,
  kind: { name: KindName; schema: z.ZodType<Data> },
  pick: (reading: Reading) => unknown,
): Parsed<Data> {
  const split = splitFrontMatter(text);
  if (!split.ok) return { ok: false, findings: [faultFinding('front-matter', split.fault)], unplaced: [] };
  const read = readOutline(text);
  if (!read.ok) return { ok: false, findings: [faultFinding('too-large', read.fault)], unplaced: [] };
  const { outline } = read;
  const reading: Reading = { frontMatter: split.data, outline, findings: [], unplaced: [], taken: new Set() };
  reading.findings.push(...outline.openEnds.map((fault) => faultFinding('open-end', fault)));
  checkKind(reading, kind.name);
  const { value, lines } = resolveLocated(pick(reading));
  leaveRest(reading);
  const checked = checkValue(kind.schema, value, { lines });
  const findings = checked.ok ? reading.findings : [...reading.findings, ...checked.findings];
  const unplaced = reading.unplaced.toSorted((a, b) => a.line - b.line);
  if (!checked.ok || findings.some((finding) => finding.severity === 'error')) return { ok: false, findings, unplaced };
  return { ok: true, data: checked.data, findings, unplaced };
}

function checkKind(reading: Reading, name: KindName): void {
  const { kind } = reading.frontMatter;
  if (kind === undefined || kind === name) return;
  const message = `Unexpected kind ${JSON.stringify(kind)} in the front matter, expected "${name}".`;
  reading.findings.push({ rule: 'front-matter', severity: 'error', message, line: 1, column: 1, field: 'kind' });
}

function leaveRest(reading: Reading): void {
  const { source, preamble, sections } = reading.outline;
  for (const node of preamble) {
    reading.unplaced.push({ line: node.position?.start.line ?? 1, text: sourceOf(source, node) });
  }
  for (const section of sections) {
    if (reading.taken.has(section)) continue;
    reading.unplaced.push({ line: section.line, text: source.slice(section.start, section.end).trimEnd() });
  }
}
