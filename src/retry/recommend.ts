import type { Failure, FailureKind } from '../model/failure.ts';

export interface Recommendation {
  choice: 'retry' | 'abort';
  /** One sentence for the person who decides. */
  reason: string;
}

/** What the same request meets again: a model that refuses, a context that does not fit. */
const SAME_AGAIN = new Set<FailureKind>(['refusal', 'context-overflow']);

/** Advises what to do after a failed attempt. Pure; `failedAttempts` counts those since the inputs last changed. */
export function recommend({
  step,
  failedAttempts,
  maxRetries,
  failure,
}: {
  step: string;
  failedAttempts: number;
  maxRetries: number;
  failure: Failure;
}): Recommendation {
  if (SAME_AGAIN.has(failure.kind)) {
    return {
      choice: 'abort',
      reason: `Another attempt at ${step} would end in the same way (${failure.kind}); something has to change first.`,
    };
  }
  if (failedAttempts > maxRetries) {
    return { choice: 'abort', reason: `${step} has failed ${failedAttempts} times on the same inputs; ${maxRetries} retries are allowed.` };
  }
  return { choice: 'retry', reason: `Attempt ${failedAttempts} of ${step} failed (${failure.kind}); the next one is told why.` };
}
