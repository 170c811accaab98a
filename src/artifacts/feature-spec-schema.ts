import * as z from 'zod';
import { block, line } from '../text/text-types.ts';
import { bounded, distinct, filledListOf, lines, listOf } from './fields.ts';
import { handOffSchema } from './hand-off.ts';
import { type IdPrefix, canonicalId } from './ids.ts';

const submittedId = line({ max: 40 }).optional().describe('Id of an entry that exists already; leave it out for a new one.');

function idOf(prefix: IdPrefix) {
  return z
    .string()
    .overwrite(canonicalId)
    .regex(new RegExp(`^${prefix}-[1-9]\\d{0,5}$`), { error: `Unexpected id, expected one such as ${prefix}-1` });
}

const rule = {
  statement: line(),
  inputs: line().describe('What the decision is made from.'),
  outputs: line().describe('What comes of it.'),
  decision: z.enum(['deterministic', 'discretionary']),
};
const assumption = { text: line() };
const question = { text: line(), blocking: z.boolean().describe('Whether work cannot go on without an answer.') };

/** The parts that are the same in a document and in a submission. */
const parts = {
  title: line({ max: 200 }),
  intent: block().describe('Why this feature exists: the problem, for whom, what is better afterwards.'),
  scope: z.strictObject({ in: filledListOf(line()), out: lines() }),
  actors: listOf(z.strictObject({ name: line({ max: 200 }), can: lines(), cannot: lines() })),
  behaviour: z.strictObject({
    happyPath: filledListOf(line()),
    alternatives: listOf(z.strictObject({ name: line({ max: 200 }), steps: lines() })),
  }),
  state: z.strictObject({ creating: lines(), transitioning: lines(), constraining: lines() }).prefault({}),
  dependencies: lines(),
  nonFunctional: lines(),
  systemSpecImpact: z
    .strictObject({
      reinforces: lines(),
      stretches: lines(),
      contradicts: listOf(z.strictObject({ tension: line(), proposal: line().describe('A proposed change; it is not applied.') })),
    })
    .prefault({}),
  handOver: z.strictObject({ themes: lines(), boundaries: lines(), framing: lines() }).prefault({}),
  changeLog: lines(),
};

export const featureSpecSchema = bounded(
  z.strictObject({
    ...parts,
    rules: listOf(z.strictObject({ id: idOf('R'), ...rule })).superRefine(distinct((entry) => entry.id)),
    assumptions: listOf(z.strictObject({ id: idOf('A'), ...assumption })).superRefine(distinct((entry) => entry.id)),
    questions: listOf(z.strictObject({ id: idOf('Q'), ...question })).superRefine(distinct((entry) => entry.id)),
    retired: listOf(
      z
        .string()
        .overwrite(canonicalId)
        .regex(/^[RAQ]-[1-9]\d{0,5}$/),
      { max: 2000 },
    ),
  }),
);

export const featureSpecSubmissionSchema = z.strictObject({
  ...parts,
  rules: listOf(z.strictObject({ id: submittedId, ...rule })),
  assumptions: listOf(z.strictObject({ id: submittedId, ...assumption })),
  questions: listOf(z.strictObject({ id: submittedId, ...question })).describe('Open questions.'),
  handOff: handOffSchema,
});

export type FeatureSpec = z.output<typeof featureSpecSchema>;
export type FeatureSpecSubmission = z.output<typeof featureSpecSubmissionSchema>;
