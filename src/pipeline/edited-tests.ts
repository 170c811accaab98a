import { PersonNeededError } from '../errors.ts';
import { record, type RunContext } from './context.ts';
import { testSpecOnDisk } from './criteria.ts';
import { decide } from './gate.ts';
import { placeFiles, savePatch } from './place.ts';
import { judgeRed } from './red-evidence.ts';
import { runTests } from './tests-first.ts';

export interface EditedTest {
  path: string;
  from: string | null;
  to: string | null;
}

/**
 * Tests changed between two looks were changed by a person: their word counts, and is asked for. What was seen red was
 * another text, so accepted edits are run again while there is no code yet.
 */
export async function acceptEditedTests(context: RunContext, edits: EditedTest[]): Promise<void> {
  const accepted: EditedTest[] = [];
  for (const edit of edits) {
    if ((await ask(context, edit)) === 'accept') accepted.push(edit);
    else await restore(context, edit);
  }
  if (accepted.length === 0) return;
  const isBeforeCode = (context.state.steps['implement']?.attempts.length ?? 0) === 0;
  if (isBeforeCode) await proveAgain(context);
  for (const edit of accepted) await record(context, { type: 'artifact-edited', data: { ...edit } });
}

async function ask(context: RunContext, { path, to }: EditedTest): Promise<string> {
  const question = {
    gate: `protected:${path}`,
    step: 'implement',
    text: `${path} is a protected test and has been ${to === null ? 'removed' : 'edited'} outside the run.`,
    choices: [
      { value: 'accept', label: 'accept the edit' },
      { value: 'restore', label: 'restore the recorded test' },
    ],
  };
  return decide(context, question, context.options.takeNew ? 'restore' : undefined);
}

async function restore(context: RunContext, { path, from }: EditedTest): Promise<void> {
  await savePatch(context, path);
  const bytes = from === null ? null : await context.journal.getBlob(from);
  await placeFiles(context, { step: 'tests', attempt: 0, purpose: 'restore' }, [{ path, bytes }]);
}

/** @throws PersonNeededError when an edited test no longer runs, or no longer fails for a reason that counts. */
async function proveAgain(context: RunContext): Promise<void> {
  const spec = await testSpecOnDisk(context);
  if (!spec) return;
  const files = [...new Set(spec.tests.map(({ file }) => file))];
  const run = await runTests(context, { step: 'tests', attempt: 0, purpose: 'red', files });
  const { evidence, findings } = await judgeRed(context, spec, run);
  const [finding] = findings;
  if (finding) {
    throw new PersonNeededError(finding.message, {
      ...(finding.file !== undefined && { place: finding.file }),
      hint: `Mend the test; then: blueprint resume ${context.feature}`,
    });
  }
  await record(context, { type: 'evidence-recorded', data: { step: 'tests', evidence } });
}
