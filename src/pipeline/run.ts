import { BlueprintError, EngineError, InterruptedError, ParkedError, PersonNeededError } from '../errors.ts';
import type { Failure, StopKind } from '../model/failure.ts';
import { recommend } from '../retry/recommend.ts';
import type { Checkout } from './checkout.ts';
import { runCommit } from './commit.ts';
import { record, type RunContext } from './context.ts';
import { decide } from './gate.ts';
import { staleReasons } from './freshness.ts';
import { acceptEdits } from './inspect.ts';
import { settle } from './place.ts';
import { countFailed, gaveUp, runStage } from './stage.ts';
import { resolveStep, type StepDefinition } from './steps.ts';
import { runVerify } from './verify.ts';

/** Runs what is open or stale, in order, until the end or a pause. Returns the step it paused after, if it did. */
export async function runPipeline(context: RunContext, checkout: Checkout): Promise<{ pausedAfter?: string }> {
  let current = context.project.steps[0]?.name ?? '';
  try {
    const pauses = context.options.pauseAfter.map((word) => resolveStep(word, context.project.steps, 'pause').name);
    await prepare(context);
    for (let index = 0; index < context.project.steps.length; index += 1) {
      const step = context.project.steps[index] as StepDefinition;
      current = step.name;
      context.hooks.signal.throwIfAborted();
      if (index > 0) await acceptEdits(context);
      const reasons = await staleReasons(context, step);
      if (reasons !== 'open' && reasons.length === 0) sayFresh(context, step);
      else {
        if (reasons !== 'open') await reopen(context, step, reasons);
        if (step.needsCheckout) await checkout.acquire();
        const back = await runStep(context, step);
        if (back !== undefined) {
          index = back - 1;
          continue;
        }
      }
      if (pauses.includes(step.name) && context.state.steps[step.name]?.pauseHeld === false) {
        await record(context, {
          type: 'run-paused',
          data: { step: step.name, reason: 'asked', message: `paused after ${step.name}, as you asked` },
        });
        await checkout.release(hasUncommittedFiles(context));
        return { pausedAfter: step.name };
      }
    }
    await record(context, { type: 'run-ended', data: { status: 'completed' } });
    await checkout.release(false);
    return {};
  } catch (error) {
    await recordStop(context, current, error);
    await checkout.release(context.state.status !== 'aborted' && hasUncommittedFiles(context));
    throw error;
  }
}

/** Project files this run has changed and not committed: while there are any, the checkout is this feature's. */
export function hasUncommittedFiles({ state, repository }: Pick<RunContext, 'state' | 'repository'>): boolean {
  if (state.commitId !== undefined || !repository) return false;
  return Object.entries(state.files).some(([path, { first, accepted }]) => !path.startsWith('.blueprint/') && first !== accepted);
}

async function prepare(context: RunContext): Promise<void> {
  await settle(context);
  const from = context.options.from ?? context.state.from;
  if (from === undefined) return acceptEdits(context);
  const first = resolveStep(from, context.project.steps, 'from');
  const at = context.project.steps.findIndex((step) => step.name === first.name);
  // A broken artifact that is to be made anew does not stop the run.
  for (const step of context.project.steps.slice(at)) {
    await record(context, {
      type: 'stage-reopened',
      data: { step: step.name, reason: context.options.fresh ? 'asked for with --new' : `asked for with --from ${first.name}` },
    });
  }
  return acceptEdits(context);
}

async function reopen(context: RunContext, step: StepDefinition, reasons: string[]): Promise<void> {
  context.hooks.emit({ type: 'step-stale', step: step.name, reasons });
  await record(context, { type: 'stage-reopened', data: { step: step.name, reason: reasons.join('; ') } });
}

function sayFresh(context: RunContext, step: StepDefinition): void {
  const known = context.state.steps[step.name];
  const reason =
    known?.status === 'skipped'
      ? (known.reason ?? 'skipped')
      : known?.adoptedFrom !== undefined
        ? `adopted from ${known.adoptedFrom}`
        : 'passed and fresh';
  context.hooks.emit({ type: 'step-fresh', step: step.name, reason });
}

/** Runs one step; a red verification gives the index of the step the work goes back to. */
async function runStep(context: RunContext, step: StepDefinition): Promise<number | undefined> {
  if (step.type === 'stage') {
    await runStage(context, step);
    return undefined;
  }
  if (step.name === 'commit') {
    await runCommit(context, step);
    return undefined;
  }
  const failure = await runVerify(context, step);
  return failure && sendBack(context, failure);
}

/** What verification found goes to the developer, whose next attempt is told; how often is bounded like any retry. */
async function sendBack(context: RunContext, failure: Failure): Promise<number> {
  const failedAttempts = countFailed(context, 'verify');
  const { choice, reason } = recommend({ step: 'verify', failedAttempts, maxRetries: context.project.config.retry.maxRetries, failure });
  if (!context.hooks.ask && !(context.options.yes && choice === 'retry')) {
    await record(context, { type: 'stage-reopened', data: { step: 'implement', reason: 'verification was red', failure } });
    throw gaveUp(context, 'verify', failure, reason);
  }
  const choices = [
    { value: 'retry', label: 'send it back to the developer' },
    { value: 'stop', label: 'stop here' },
  ];
  const answer = await decide(context, {
    gate: `verify:${failedAttempts}`,
    step: 'verify',
    text: `${failure.message} ${reason}`,
    choices: choice === 'retry' ? choices : choices.toReversed(),
  });
  await record(context, { type: 'stage-reopened', data: { step: 'implement', reason: 'verification was red', failure } });
  if (answer === 'stop') throw gaveUp(context, 'verify', failure, reason);
  return context.project.steps.findIndex((one) => one.name === 'implement');
}

/** What stopped the run though no attempt has failed. */
function isStop(error: unknown): error is { kind: string } {
  return (error instanceof EngineError || error instanceof ParkedError) && error.kind !== undefined;
}

/** The journal says how a run stopped, but for a bug or a journal that cannot be written: such a run still counts as running. */
async function recordStop(context: RunContext, step: string, error: unknown): Promise<void> {
  if (context.state.status !== 'running') return;
  if (!(error instanceof BlueprintError)) return;
  const reason = error instanceof InterruptedError ? 'interrupted' : error instanceof PersonNeededError ? 'gate' : 'failed';
  await record(context, {
    type: 'run-paused',
    data: { step, reason, message: error.message.slice(0, 2000), ...(isStop(error) && { kind: error.kind as StopKind }) },
  }).catch(() => undefined);
}
