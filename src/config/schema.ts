import { posix } from 'node:path';
import * as z from 'zod';

/**
 * The configuration of a project, defaults filled in. The message of every issue is what was expected, worded to follow
 * "Expected"; `load.ts` adds the key, the value and the place.
 */
export type Config = z.output<typeof configSchema>;

/** Stages that ship with the program, in order; a stage of one's own comes after one of them. */
export const BUILT_IN_STAGES: readonly string[] = ['spec', 'stories', 'tests', 'plan', 'implement'];

/**
 * Names a stage cannot have: program steps, the names by which people call roles and stages, and the prompt templates
 * that are no stage's own.
 */
const RESERVED = new Set([
  ...BUILT_IN_STAGES,
  'verify',
  'commit',
  'alex',
  'cass',
  'ba',
  'nigel',
  'tester',
  'codey',
  'developer',
  'codey-plan',
  'codey-implement',
  'shared',
  'context',
]);

/** Becomes part of file names, so it is the same on every file system. */
const SLUG = /^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/;

function slug(what: string) {
  const error = `${what}: lower-case letters, digits and single hyphens, at most 40 characters`;
  return z.string({ error }).regex(SLUG, { error }).max(40, { error });
}

function mapping<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys' ? `one of the keys ${Object.keys(shape).join(', ')}` : 'a mapping of keys to values',
  });
}

function whole(least: number, fallback: number) {
  const error = `a whole number of at least ${least}`;
  return z.int({ error }).min(least, { error }).default(fallback);
}

/** With an upper bound that timers can hold. */
function duration(unit: string, most: number, fallback: number) {
  const error = `a number of ${unit} above 0 and at most ${most}`;
  return z.number({ error }).positive({ error }).max(most, { error }).default(fallback);
}

function projectPath(fallback: string) {
  const error = 'a path inside the project, relative to its root, with forward slashes';
  return z
    .string({ error })
    .refine((path) => path.trim() !== '' && !/[\\\p{Cc}]|^[a-z]:|^\/|(?:^|\/)\.\.(?:\/|$)/iu.test(path), { error })
    .overwrite((path) => posix.normalize(path.trim()).replace(/\/$/, ''))
    .default(fallback);
}

const commandLine = z.string({ error: 'a command line' }).trim().min(1, { error: 'a command line' });

const stages = z
  .array(
    mapping({
      name: slug('a name for the stage'),
      role: slug('the name of a role file'),
      after: z.string({ error: 'the name of a stage' }),
    }),
    {
      error: 'a list of stages, each with name, role and after',
    },
  )
  .superRefine((list, context) => {
    const known = [...BUILT_IN_STAGES];
    for (const [index, { name, after }] of list.entries()) {
      const fault = (key: 'name' | 'after', message: string, candidates?: string[]) =>
        context.addIssue({ code: 'custom', path: [index, key], message, ...(candidates && { params: { candidates } }) });
      if (RESERVED.has(name)) fault('name', 'a name that no built-in step or role has');
      else if (known.includes(name)) fault('name', 'a name that no earlier stage has');
      if (!known.includes(after)) fault('after', `one of ${known.join(', ')} (a built-in stage or an earlier one of this list)`, known);
      known.push(name);
    }
  });

const limits = mapping({
  turns: whole(1, 40),
  tokens: whole(1, 400_000),
  minutes: duration('minutes', 10_080, 30),
  mendRounds: whole(0, 2),
  commandSeconds: duration('seconds', 86_400, 120),
});

const test = mapping({ runner: z.enum(['node:test', 'vitest'], { error: 'node:test or vitest' }) });

const retry = mapping({ maxRetries: whole(0, 3) });

export const configSchema = mapping({
  engine: z
    .string({ error: 'transcript:<file>' })
    .regex(/^transcript:\s*\S/, { error: 'transcript:<file>' })
    .exactOptional(),
  systemSpec: projectPath('.blueprint/SYSTEM_SPEC.md'),
  businessContext: projectPath('.business_context'),
  test: test.exactOptional(),
  verify: z.array(commandLine, { error: 'a list of command lines' }).exactOptional(),
  stages: stages.default([]),
  limits: limits.prefault({}),
  contextTokens: whole(1, 50_000),
  retry: retry.prefault({}),
});

/** Keys that may stand below a path of keys: those of the whole at `''`, of each stage at `stages`. */
export const KEYS_BELOW: Readonly<Record<string, readonly string[]>> = {
  '': Object.keys(configSchema.shape),
  test: Object.keys(test.shape),
  stages: ['name', 'role', 'after'],
  limits: Object.keys(limits.shape),
  retry: Object.keys(retry.shape),
};
