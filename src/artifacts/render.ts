import { isDeepStrictEqual } from 'node:util';
import { UsageError } from '../errors.ts';
import type { DocumentKind, Parsed } from '../model/artifact.ts';
import { DERIVED_FROM } from '../text/digest.ts';
import { renderFrontMatter } from '../text/front-matter.ts';
import type { Template } from '../text/template.ts';
import { checkValue, fieldName } from './findings.ts';

export interface RenderRequest<Data> {
  kind: DocumentKind<Data>;
  data: Data;
  frontMatter: {
    feature: string;
    stage: string;
    /** What it was made from: `file` or `file#AC-1` to content digest. */
    derivedFrom?: Record<string, string>;
  };
  /** Sees the data, and `feature` and `stage`. Gives the body only. */
  template: Template;
}

/**
 * Renders a document and reads it back: no template, however it was changed, can lose what a role handed in.
 *
 * @throws UsageError naming template and field when the text read back is not the data, when the template cannot be
 *   rendered, or when the schema refuses the data.
 */
export function renderDocument<Data>({ kind, data, frontMatter, template }: RenderRequest<Data>): string {
  const checked = checkValue(kind.schema, data);
  if (!checked.ok) throw new UsageError(`Unexpected data for a ${kind.name}: ${checked.findings[0]?.message ?? ''}`);
  const canonical = checked.data as Data & object;
  const { feature, stage, derivedFrom = {} } = frontMatter;
  const record: Record<string, unknown> = { kind: kind.name, feature, stage };
  for (const key of kind.frontMatterKeys) {
    const value = (canonical as Record<string, unknown>)[key];
    if (value !== undefined && !(Array.isArray(value) && value.length === 0)) record[key] = value;
  }
  if (Object.keys(derivedFrom).length > 0) record[DERIVED_FROM] = derivedFrom;
  const body = template.render({ ...canonical, feature, stage }).trim();
  const text = `${renderFrontMatter(record)}\n${body}\n`;
  demandSame(kind.parse(text), canonical, template.name);
  return text;
}

/**
 * Path of the first field in which two values differ, and whether it is gone from the second; undefined when they are
 * equal. The path is empty when the values differ as wholes.
 */
export function firstDifference(expected: unknown, actual: unknown): { field: string; isLost: boolean } | undefined {
  return difference(expected, actual, []);
}

function demandSame<Data>(parsed: Parsed<Data>, canonical: Data, template: string): void {
  if (parsed.ok) {
    const found = firstDifference(canonical, parsed.data);
    if (found) throw lossError(template, found.isLost ? 'loses' : 'changes', found.field);
    return;
  }
  const finding = parsed.findings.find((candidate) => candidate.severity === 'error');
  if (finding?.field !== undefined) throw lossError(template, 'loses', finding.field);
  throw new UsageError(`Template ${template} gives a document that cannot be read back: ${finding?.message ?? 'nothing was found'}`, {
    place: template,
  });
}

function lossError(template: string, verb: 'loses' | 'changes', field: string): UsageError {
  return new UsageError(`Template ${template} ${verb} field ${field}.`, {
    place: template,
    hint: 'Compare it with the built-in template; labels and headings must stay as they are there.',
  });
}

function difference(expected: unknown, actual: unknown, path: PropertyKey[]): { field: string; isLost: boolean } | undefined {
  if (isDeepStrictEqual(expected, actual)) return undefined;
  if (Array.isArray(expected) && Array.isArray(actual)) {
    for (let index = 0; index < Math.max(expected.length, actual.length); index += 1) {
      const found = difference(expected[index], actual[index], [...path, index]);
      if (found) return found;
    }
  } else if (isRecord(expected) && isRecord(actual)) {
    for (const key of new Set([...Object.keys(expected), ...Object.keys(actual)])) {
      const found = difference(expected[key], actual[key], [...path, key]);
      if (found) return found;
    }
  }
  return { field: fieldName(path), isLost: actual === undefined };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
