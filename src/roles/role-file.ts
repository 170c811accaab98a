import { parseDocument, type Document } from 'yaml';
import * as z from 'zod';
import type { Effort } from '../model/engine.ts';
import { UsageError } from '../errors.ts';
import { didYouMean } from '../text/did-you-mean.ts';
import { frontMatterSpan, splitFrontMatter } from '../text/front-matter.ts';
import { normaliseText, positionAt } from '../text/lines.ts';
import { candidatesOf, offsetOf } from '../text/schema-fault.ts';

/** What a role can be given to read. */
export const READS = [
  'brief',
  'system-spec',
  'business-context',
  'feature-spec',
  'story',
  'test-spec',
  'implementation-plan',
  'hand-off',
  'report',
] as const;

export type InputKind = (typeof READS)[number];

/** In the units of the configuration. */
export interface RoleLimits {
  turns?: number;
  tokens?: number;
  minutes?: number;
  mendRounds?: number;
  commandSeconds?: number;
}

export interface RoleHeader {
  role: string;
  persona: string;
  reads: InputKind[];
  mayTouch?: string[];
  tools?: string[];
  limits?: RoleLimits;
  model?: string;
  effort?: Effort;
}

/**
 * Reads and checks the front matter of a role file.
 *
 * @throws UsageError with `place` `file:line:column`, for the fault that stands first; a key that is missing comes
 * last, because a misspelt one beside it says more.
 */
export function readRoleFile(role: { text: string; file: string; name: string; tools: readonly string[] }): {
  header: RoleHeader;
  body: string;
  bodyLine: number;
} {
  const { file, name, tools } = role;
  const text = normaliseText(role.text);
  const split = splitFrontMatter(text);
  if (!split.ok) {
    const { message, line = 1, column = 1, hint } = split.fault;
    throw new UsageError(message, { place: `${file}:${line}:${column}`, ...(hint !== undefined && { hint }) });
  }
  const span = frontMatterSpan(text);
  if (!split.present || !span) {
    throw new UsageError(`Expected a front matter with role, persona, reads, mayTouch and tools, got none.`, { place: `${file}:1:1` });
  }
  const result = headerSchema(name, tools).safeParse(split.data);
  if (result.success) return { header: result.data, body: split.body, bodyLine: split.bodyLine };
  const document = parseDocument(text.slice(span.yamlStart, span.yamlEnd), { version: '1.2', schema: 'core', logLevel: 'error' });
  const faults = result.error.issues
    .map((issue) => faultOf(issue, document, split.data))
    .toSorted((one, other) => Number(one.isGap) - Number(other.isGap) || one.offset - other.offset);
  const { offset = 0, message = '', near } = faults[0] ?? {};
  const { line, column } = positionAt(text, span.yamlStart + offset);
  throw new UsageError(message, { place: `${file}:${line}:${column}`, ...(near !== undefined && { hint: `Did you mean ${near}?` }) });
}

/** The message of every issue is what was expected. */
function headerSchema(name: string, tools: readonly string[]): z.ZodType<RoleHeader> {
  const text = (error: string) => z.string({ error }).trim().min(1, { error });
  const oneOf = <const Value extends string>(values: readonly Value[]) => z.enum(values, { error: `one of ${values.join(', ')}` });
  const list = <Item extends z.ZodType>(item: Item, of: string) => z.array(item, { error: `a list of ${of}` });
  const atLeast = (least: number) =>
    z.int({ error: `a whole number of at least ${least}` }).min(least, { error: `a whole number of at least ${least}` });
  const time = (most: number) => {
    const error = `a number above 0 and at most ${most}`;
    return z.number({ error }).positive({ error }).max(most, { error });
  };
  const glob = text('a glob from the project root').refine((value) => !/^[/\\]|(?:^|\/)\.\.(?:\/|$)/.test(value), {
    error: 'a glob inside the project, from its root',
  });
  return keyed({
    model: text('the id of a model').exactOptional(),
    effort: oneOf(['low', 'medium', 'high', 'xhigh', 'max']).exactOptional(),
    role: z.literal(name, { error: `${name}, the name of the file` }),
    persona: text('a name for the role'),
    reads: list(oneOf(READS), 'kinds of input'),
    mayTouch: list(glob, 'globs').exactOptional(),
    tools: list(
      z
        .string({ error: 'the name of a tool' })
        .refine((tool) => tools.includes(tool), { error: `one of ${tools.join(', ')}`, params: { candidates: tools } }),
      'names of tools',
    ).exactOptional(),
    limits: keyed({
      turns: atLeast(1).exactOptional(),
      tokens: atLeast(1).exactOptional(),
      minutes: time(10_080).exactOptional(),
      mendRounds: atLeast(0).exactOptional(),
      commandSeconds: time(86_400).exactOptional(),
    }).exactOptional(),
  });
}

function keyed<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys' ? `only the keys ${Object.keys(shape).join(', ')}` : 'a mapping of keys to values',
  });
}

function faultOf(
  issue: z.core.$ZodIssue,
  document: Document,
  data: unknown,
): { offset: number; isGap: boolean; message: string; near?: string } {
  const where = issue.path.length === 0 ? 'the front matter' : issue.path.map(String).join('.');
  if (issue.code === 'unrecognized_keys') {
    const [key = ''] = issue.keys;
    const near = didYouMean(key, issue.message.replace('only the keys ', '').split(', '));
    return {
      offset: offsetOf(document, issue.path, key),
      isGap: false,
      message: `Expected ${issue.message} in ${where}, got ${JSON.stringify(key)}.`,
      ...(near !== undefined && { near }),
    };
  }
  const given = issue.path.reduce<unknown>(
    (inner, part) => (typeof inner === 'object' && inner !== null ? Reflect.get(inner, part) : undefined),
    data,
  );
  const near = typeof given === 'string' ? didYouMean(given, candidatesOf(issue)) : undefined;
  const message = `Expected ${issue.message} for ${where}, got ${given === undefined || given === null ? 'nothing' : JSON.stringify(given)}.`;
  return { offset: offsetOf(document, issue.path), isGap: given === undefined, message, ...(near !== undefined && { near }) };
}
