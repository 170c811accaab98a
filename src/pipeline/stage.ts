import { StageFailedError } from '../errors.ts';
import type { Failure } from '../model/failure.ts';
import { recommend } from '../retry/recommend.ts';
import { record, type RunContext } from './context.ts';
import { decide } from './gate.ts';
import { differencesOf } from './inputs.ts';
import { startAttempt } from './attempt.ts';
import { playAttempt } from './play.ts';
import { finishStage } from './finish.ts';
import { restoreTests } from './tests-first.ts';
import type { StageDefinition } from './steps.ts';

/**
 * Attempts until one passes or a person (or `--yes`) says otherwise.
 * @throws StageFailedError when the stage gives up; PersonNeededError at a gate without a terminal.
 */
export async function runStage(context: RunContext, stage: StageDefinition): Promise<'passed' | 'skipped'> {
  for (;;) {
    const attempt = await startAttempt(context, stage);
    const result = await playAttempt(context, stage, attempt);
    if (result.kind === 'accepted') {
      await finishStage(context, stage, attempt, result.accepted);
      return 'passed';
    }
    if (stage.kind === 'test-spec') await restoreTests(context, { step: stage.name, attempt: attempt.attempt });
    await record(context, {
      type: 'attempt-end',
      data: { step: stage.name, attempt: attempt.attempt, outcome: 'failed', failure: result.failure },
    });
    if ((await whatNow(context, stage, result.failure)) === 'skip') {
      await record(context, { type: 'stage-skipped', data: { step: stage.name, reason: `skipped after: ${result.failure.message}` } });
      return 'skipped';
    }
  }
}

/** The recommendation is advice: a person's answer is final. */
async function whatNow(context: RunContext, stage: StageDefinition, failure: Failure): Promise<'retry' | 'skip'> {
  const failedAttempts = countFailed(context, stage.name);
  const { choice, reason } = recommend({ step: stage.name, failedAttempts, maxRetries: context.project.config.retry.maxRetries, failure });
  if (!context.hooks.ask && !(context.options.yes && choice === 'retry')) throw gaveUp(context, stage.name, failure, reason);
  const all = [
    { value: 'retry', label: 'try again' },
    ...(stage.optional ? [{ value: 'skip', label: 'skip this step' }] : []),
    { value: 'abort', label: 'end the run' },
  ];
  const choices = [...all.filter(({ value }) => value === choice), ...all.filter(({ value }) => value !== choice)];
  const text = `${stage.name} failed: ${failure.message} ${reason}`;
  const answer = await decide(context, { gate: `failed:${stage.name}.${failedAttempts}`, step: stage.name, text, choices });
  if (answer === 'abort') {
    if (context.options.yes) throw gaveUp(context, stage.name, failure, reason);
    await record(context, { type: 'run-ended', data: { status: 'aborted', reason: failure.message } });
    throw new StageFailedError(`The run was ended at ${stage.name}: ${failure.message}`);
  }
  return answer === 'skip' ? 'skip' : 'retry';
}

/** Failed attempts on the inputs of the latest one: what was tried on other inputs says nothing about these. */
export function countFailed(context: RunContext, step: string): number {
  const attempts = context.state.steps[step]?.attempts ?? [];
  const latest = attempts.at(-1);
  return latest ? attempts.filter((one) => one.outcome === 'failed' && differencesOf(one.inputs, latest.inputs).length === 0).length : 0;
}

export function gaveUp(context: RunContext, step: string, failure: Failure, reason: string): StageFailedError {
  const findings = (failure.findings ?? []).map(
    ({ message, file, line }) => `  - ${file === undefined ? '' : `${file}${line === undefined ? '' : `:${line}`} `}${message}`,
  );
  return new StageFailedError([`${step} failed: ${failure.message}`, ...findings].join('\n'), {
    hint: `${reason} Try again with: blueprint resume ${context.feature}`,
  });
}
