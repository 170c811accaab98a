import * as z from 'zod';

const BUILT_IN_NAMES = ['spec', 'stories', 'tests', 'plan', 'implement', 'verify', 'commit'];

const count = z.int().min(1);

const stage = z.strictObject({
  name: z.string().regex(/^[a-z][a-z0-9-]{0,40}$/, { error: 'Expected a name of small letters, digits and hyphens' }),
  role: z.string().regex(/^[a-z][a-z0-9-]{0,40}$/, { error: 'Expected the name of a role file without .md' }),
  after: z.string(),
});

/** Everything a project can set, with its defaults. */
export const configSchema = z.strictObject({
  engine: z.string().min(1).optional(),
  systemSpec: z.string().min(1).default('.blueprint/SYSTEM_SPEC.md'),
  businessContext: z.string().min(1).default('.business_context'),
  test: z.strictObject({ runner: z.enum(['node:test', 'vitest']) }).optional(),
  verify: z.array(z.string().min(1)).optional(),
  stages: z.array(stage).default([]).superRefine((stages, context) => {
    const known = new Set(BUILT_IN_NAMES);
    const anchors = new Set(BUILT_IN_NAMES.slice(0, 5));
    for (const [index, { name, after }] of stages.entries()) {
      if (known.has(name)) context.addIssue({ code: 'custom', path: [index, 'name'], message: `Expected a new name, got "${name}", which is taken` });
      if (!anchors.has(after)) context.addIssue({ code: 'custom', path: [index, 'after'], message: `Expected one of ${[...anchors].join(', ')}, got "${after}"` });
      known.add(name);
      anchors.add(name);
    }
  }),
  limits: z
    .strictObject({
      turns: count.default(40),
      tokens: count.default(400_000),
      minutes: z.number().positive().default(30),
      mendRounds: z.int().min(0).default(2),
      commandSeconds: z.number().positive().default(120),
    })
    .prefault({}),
  contextTokens: count.default(50_000),
  retry: z.strictObject({ maxRetries: z.int().min(0).default(3) }).prefault({}),
});

export type Config = z.output<typeof configSchema>;
