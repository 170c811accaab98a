import * as z from 'zod';
import { UsageError } from '../errors.ts';
import { splitFrontMatter } from '../text/front-matter.ts';
import { compileTemplate, type Template } from '../text/template.ts';
import { didYouMean } from '../text/did-you-mean.ts';
import type { Library } from './library.ts';

/** What a role can be given to read. */
export const READS = ['brief', 'system-spec', 'business-context', 'feature-spec', 'story', 'test-spec', 'implementation-plan', 'hand-off', 'report'] as const;

const limits = z.strictObject({
  turns: z.int().min(1).optional(),
  tokens: z.int().min(1).optional(),
  minutes: z.number().positive().optional(),
  mendRounds: z.int().min(0).optional(),
  commandSeconds: z.number().positive().optional(),
});

const frontMatter = z.strictObject({
  role: z.string().min(1),
  persona: z.string().min(1),
  reads: z.array(z.enum(READS)),
  mayTouch: z.array(z.string().min(1)).default([]),
  tools: z.array(z.string().min(1)).default([]),
  limits: limits.default({}),
});

export interface Role {
  name: string;
  persona: string;
  reads: readonly string[];
  /** Globs of project files the role may write. */
  mayTouch: string[];
  tools: string[];
  limits: { turns?: number; tokens?: number; minutes?: number; mendRounds?: number; commandSeconds?: number };
  body: Template;
  digest: string;
  file: string;
}

/**
 * Loads a role file.
 * @throws UsageError at `file:line:column` for front matter or a body that is not right.
 */
export async function loadRole(name: string, library: Library, knownTools: readonly string[]): Promise<Role> {
  const { text, file, digest } = await library.role(name);
  const split = splitFrontMatter(text);
  if (!split.ok) {
    const { message, line = 1, column = 1, hint } = split.fault;
    throw new UsageError(message, { place: `${file}:${line}:${column}`, ...(hint !== undefined && { hint }) });
  }
  const parsed = frontMatter.safeParse(split.data);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    throw new UsageError(`Role ${name}: ${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}`, { place: placeOfKey(text, String(issue?.path[0] ?? ''), file) });
  }
  const { role, persona, reads, mayTouch, tools } = parsed.data;
  if (role !== name) throw new UsageError(`Unexpected role ${JSON.stringify(role)}, expected ${JSON.stringify(name)} as the file is called.`, { place: placeOfKey(text, 'role', file) });
  const unknown = tools.find((tool) => !knownTools.includes(tool));
  if (unknown !== undefined) {
    const near = didYouMean(unknown, knownTools);
    throw new UsageError(`Unexpected tool ${JSON.stringify(unknown)}, expected one of ${knownTools.join(', ')}.`, { place: placeOfKey(text, 'tools', file), ...(near !== undefined && { hint: `Did you mean ${near}?` }) });
  }
  // Blank lines stand for the front matter, so that faults in the body have the file's own line numbers.
  const body = compileTemplate('\n'.repeat(Math.max(0, split.bodyLine - 1)) + split.body, { name: file });
  return { name, persona, reads, mayTouch, tools, limits: withoutUndefined(parsed.data.limits), body, digest, file };
}

function placeOfKey(text: string, key: string, file: string): string {
  const line = text.split(/\r?\n/).findIndex((one) => one.startsWith(`${key}:`));
  return line === -1 ? `${file}:1:1` : `${file}:${line + 1}:1`;
}

function withoutUndefined<Value extends object>(value: Value): { [Key in keyof Value]?: NonNullable<Value[Key]> } {
  return Object.fromEntries(Object.entries(value).filter(([, one]) => one !== undefined)) as never;
}
