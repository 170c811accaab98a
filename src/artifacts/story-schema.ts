import * as z from 'zod';
import { block, line } from '../text/text-types.ts';
import { bounded, distinct, filledListOf, lines, listOf } from './fields.ts';
import { handOffSchema } from './hand-off.ts';
import { canonicalId, canonicalStoryId, isStoryId } from './ids.ts';

const criterion = {
  title: line({ max: 200 }),
  given: lines(),
  when: filledListOf(line()),
  then: filledListOf(line()).describe('Deterministic and observable.'),
};

const parts = {
  title: line({ max: 200 }),
  asA: line().describe('Who: "registered visitor".'),
  iWant: line().describe('What: "to log in with my password".'),
  soThat: line().describe('Why: "I reach my orders".'),
  context: block().describe('Context and scope.'),
  outOfScope: lines(),
};

const criterionId = z
  .string()
  .overwrite(canonicalId)
  .regex(/^AC-[1-9]\d{0,5}$/, { error: 'Unexpected id, expected one such as AC-1' });

export const storySchema = bounded(
  z.strictObject({
    id: z.string().overwrite(canonicalStoryId).refine(isStoryId, { error: 'Unexpected id, expected one such as story-login' }),
    ...parts,
    criteria: filledListOf(z.strictObject({ id: criterionId, ...criterion }), { max: 7 }).superRefine(distinct((entry) => entry.id)),
    retired: listOf(criterionId, { max: 2000 }),
  }),
);

const submittedId = line({ max: 200 }).optional();

export const storySubmissionSchema = z.strictObject({
  stories: filledListOf(
    z.strictObject({
      id: submittedId.describe('Id of a story that exists already; leave it out for a new one.'),
      ...parts,
      criteria: filledListOf(
        z.strictObject({ id: submittedId.describe('Id of a criterion that exists already; leave it out for a new one.'), ...criterion }),
        { max: 7 },
      ),
    }),
    { max: 20 },
  ),
  handOff: handOffSchema,
});

export type Story = z.output<typeof storySchema>;
export type StorySubmission = z.output<typeof storySubmissionSchema>;
