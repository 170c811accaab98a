import type * as z from 'zod';
import type { Finding } from '../model/failure.ts';
import type { Fault } from '../text/fault.ts';

/**
 * Checks a value against a schema; a value that is refused comes back as one finding per fault, each naming its field.
 * `prefix` is put before the fields; `lines` tells the line on which a field was read.
 */
export function checkValue<Data>(
  schema: z.ZodType<Data>,
  value: unknown,
  options: { prefix?: string; lines?: ReadonlyMap<string, number> } = {},
): { ok: true; data: Data } | { ok: false; findings: Finding[] } {
  const result = schema.safeParse(value, { error: sentence });
  if (result.success) return { ok: true, data: result.data };
  return { ok: false, findings: result.error.issues.map((issue) => findingOf(issue, options)) };
}

/** A fault of a text as a finding. */
export function faultFinding(rule: string, fault: Fault): Finding {
  return { rule, severity: 'error', ...fault };
}

/** `criteria[0].then[1]` for `['criteria', 0, 'then', 1]`. */
export function fieldName(path: readonly PropertyKey[]): string {
  return path.map((part, index) => (typeof part === 'number' ? `[${part}]` : `${index === 0 ? '' : '.'}${String(part)}`)).join('');
}

type RawIssue = Parameters<z.core.$ZodErrorMap>[0];

/** Zod's faults in our words; those that a schema words itself never come here. */
function sentence(issue: RawIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined
        ? `Unexpected gap, expected ${articled(String(issue.expected))}`
        : `Unexpected ${shown(issue.input)}, expected ${articled(String(issue.expected))}`;
    case 'invalid_value':
      return `Unexpected ${shown(issue.input)}, expected ${issue.values.map(String).join(' or ')}`;
    case 'too_small':
      return `Unexpected ${sizeOf(issue.input)}, expected at least ${issue.minimum}`;
    case 'too_big':
      return `Unexpected ${sizeOf(issue.input)}, expected at most ${issue.maximum}`;
    case 'unrecognized_keys':
      return `Unexpected ${issue.keys.map((key) => `"${key}"`).join(', ')}, expected only the fields of the schema`;
    default:
      return undefined;
  }
}

function findingOf(issue: z.core.$ZodIssue, options: { prefix?: string; lines?: ReadonlyMap<string, number> }): Finding {
  const field = fieldName(issue.path);
  const line = lineFor(issue.path, options.lines);
  const full = [options.prefix ?? '', field].filter((part) => part !== '').join('.');
  const subject = full === '' ? '' : ` (${full})`;
  return {
    rule: 'schema',
    severity: 'error',
    message: `${issue.message}${subject}.`,
    ...(full === '' ? {} : { field: full }),
    ...(line === undefined ? {} : { line }),
  };
}

/** The line of the field or of the nearest thing around it. */
function lineFor(path: readonly PropertyKey[], lines: ReadonlyMap<string, number> | undefined): number | undefined {
  for (let length = path.length; lines && length >= 0; length -= 1) {
    const line = lines.get(fieldName(path.slice(0, length)));
    if (line !== undefined) return line;
  }
  return undefined;
}

function articled(type: string): string {
  if (type === 'string') return 'text';
  return /^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`;
}

function shown(input: unknown): string {
  if (typeof input === 'string') return `"${input.length > 60 ? `${input.slice(0, 60)}…` : input}"`;
  if (Array.isArray(input)) return 'array';
  if (typeof input === 'object' && input !== null) return 'object';
  return String(input);
}

function sizeOf(input: unknown): string {
  if (Array.isArray(input)) return `${input.length} entries`;
  if (typeof input === 'string') return `${input.length} characters`;
  return shown(input);
}
