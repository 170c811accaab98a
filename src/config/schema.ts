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

const ENGINES = 'transcript:<file>, anthropic or anthropic:<base URL>';
const EFFORTS = ['low', 'medium', 'high', 'xhigh', 'max'] as const;
/** Variables of such names are kept from commands and taken out of everything that is stored. */
const KEY_VARIABLE = 'the name of an environment variable that ends in _API_KEY or _AUTH_TOKEN';
const yesOrNo = z.boolean({ error: 'true or false' });
const someText = (error: string) => z.string({ error }).trim().min(1, { error });
const tokens = (error: string) => z.int({ error }).min(1, { error });

const webAddress = someText('a base URL that begins with http:// or https://, without a name or a key in it').refine(isBaseUrl, {
  error: 'a base URL that begins with http:// or https://, without a name or a key in it',
});

/** The Messages API: of Anthropic, or of any server that speaks it. Keys are never here, only the name of their variable. */
const anthropic = mapping({
  model: someText('the id of a model').exactOptional(),
  effort: z.enum(EFFORTS, { error: `one of ${EFFORTS.join(', ')}` }).exactOptional(),
  baseUrl: webAddress.exactOptional(),
  keyVariable: z
    .string({ error: KEY_VARIABLE })
    .regex(/^[A-Za-z]\w*_(?:API_KEY|AUTH_TOKEN)$/, { error: KEY_VARIABLE })
    .exactOptional(),
  endpoint: z.enum(['anthropic', 'compatible'], { error: 'anthropic or compatible' }).exactOptional(),
  contextWindow: tokens('a whole number of tokens').exactOptional(),
  maxOutput: tokens('a whole number of tokens').exactOptional(),
  promptCache: yesOrNo.exactOptional(),
  thinking: yesOrNo.exactOptional(),
  idleSeconds: duration('seconds', 3600, 120),
  retries: whole(0, 6),
  longestWaitSeconds: duration('seconds', 3600, 60),
});

/** US dollars for a million tokens. */
const dollars = z.number({ error: 'US dollars for a million tokens' }).min(0, { error: 'US dollars for a million tokens' });
const price = mapping({ input: dollars, output: dollars, cacheRead: dollars.exactOptional(), cacheWrite: dollars.exactOptional() });

/** Limits of a whole run; none unless set. */
const run = mapping({
  budget: z.number({ error: 'US dollars above 0' }).positive({ error: 'US dollars above 0' }).exactOptional(),
  turns: z.int({ error: 'a whole number of at least 1' }).min(1, { error: 'a whole number of at least 1' }).exactOptional(),
  minutes: duration('minutes', 10_080, 1).unwrap().exactOptional(),
});

export const configSchema = mapping({
  engine: z
    .string({ error: ENGINES })
    .regex(/^(?:transcript:\s*\S|anthropic$|anthropic:https?:\/\/\S)/, { error: ENGINES })
    .exactOptional(),
  anthropic: anthropic.prefault({}),
  prices: z.record(z.string(), price, { error: 'a mapping of model ids to prices' }).default({}),
  run: run.prefault({}),
  systemSpec: projectPath('.blueprint/SYSTEM_SPEC.md'),
  businessContext: projectPath('.business_context'),
  test: test.exactOptional(),
  verify: z.array(commandLine, { error: 'a list of command lines' }).exactOptional(),
  stages: stages.default([]),
  limits: limits.prefault({}),
  contextTokens: z.int({ error: 'a whole number of at least 1' }).min(1, { error: 'a whole number of at least 1' }).exactOptional(),
  retry: retry.prefault({}),
});

/** Keys that may stand below a path of keys: those of the whole at `''`, of each stage at `stages`. */
export const KEYS_BELOW: Readonly<Record<string, readonly string[]>> = {
  '': Object.keys(configSchema.shape),
  test: Object.keys(test.shape),
  stages: ['name', 'role', 'after'],
  limits: Object.keys(limits.shape),
  retry: Object.keys(retry.shape),
  anthropic: Object.keys(anthropic.shape),
  run: Object.keys(run.shape),
};

/** Whether this is a base URL: credentials in it would end up in journals and messages. */
export function isBaseUrl(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url !== undefined && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '' && url.search === '';
}
