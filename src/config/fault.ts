import type { Document } from 'yaml';
import type * as z from 'zod';
import { UsageError } from '../errors.ts';
import { didYouMean } from '../text/did-you-mean.ts';
import { positionAt } from '../text/lines.ts';
import { candidatesOf, offsetOf } from '../text/schema-fault.ts';
import { KEYS_BELOW } from './schema.ts';

interface ConfigText {
  document: Document;
  /** What the document was parsed from; its ranges are offsets in it. */
  source: string;
  value: unknown;
  /** Path to show. */
  file: string;
}

interface ConfigFault {
  offset: number;
  /** Nothing stands there: a misspelt key beside it says more. */
  isGap: boolean;
  message: string;
  near: string | undefined;
}

/** The fault that stands first in the file, gaps last, as the error to end the command with. */
export function firstFault(issues: readonly z.core.$ZodIssue[], text: ConfigText): UsageError {
  const faults = issues
    .flatMap((issue) => faultsOf(issue, text))
    .sort((one, other) => Number(one.isGap) - Number(other.isGap) || one.offset - other.offset);
  const { offset, message, near } = faults[0] ?? { offset: 0, message: 'Expected a configuration.', near: undefined };
  const { line, column } = positionAt(text.source, offset);
  return new UsageError(message, { place: `${text.file}:${line}:${column}`, ...(near !== undefined && { hint: `Did you mean ${near}?` }) });
}

function faultsOf(issue: z.core.$ZodIssue, { document, value }: ConfigText): ConfigFault[] {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({
      offset: offsetOf(document, issue.path, key),
      isGap: false,
      message: `Expected ${issue.message}${below(issue.path)}, got ${JSON.stringify(key)}.`,
      near: didYouMean(key, keysBelow(issue.path)),
    }));
  }
  const given = valueAt(value, issue.path);
  const near = typeof given === 'string' ? didYouMean(given, candidatesOf(issue)) : undefined;
  const message = `Expected ${issue.message}${below(issue.path)}, got ${shown(given)}.`;
  return [{ offset: offsetOf(document, issue.path), isGap: given === undefined, message, near: near === given ? undefined : near }];
}

function keysBelow(path: readonly PropertyKey[]): readonly string[] {
  return KEYS_BELOW[path.filter((part) => typeof part === 'string').join('.')] ?? [];
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((inner, part) => (typeof inner === 'object' && inner !== null ? Reflect.get(inner, part) : undefined), value);
}

/** ` for limits.turns`, ` for stages[0].name`, or nothing for the whole file. */
function below(path: readonly PropertyKey[]): string {
  const name = path.map((part, index) => (typeof part === 'number' ? `[${part}]` : `${index === 0 ? '' : '.'}${String(part)}`)).join('');
  return name === '' ? '' : ` for ${name}`;
}

function shown(value: unknown): string {
  if (value === undefined || value === null) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'a mapping';
  // JSON has no infinity.
  const text = typeof value === 'number' ? `${value}` : JSON.stringify(value);
  return text.length > 80 ? `${text.slice(0, 79)}…` : text;
}
