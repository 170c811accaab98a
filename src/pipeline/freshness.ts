import { differencesOf, inputDigests } from './inputs.ts';
import { currentDigest, type RunContext } from './context.ts';
import type { StepDefinition } from './steps.ts';

/** Why a step that passed must run again; empty when it is fresh; `open` when it has not passed. */
export async function staleReasons(context: RunContext, step: StepDefinition): Promise<'open' | string[]> {
  const known = context.state.steps[step.name];
  if (!known || known.status === 'open' || known.status === 'running') return 'open';
  if (known.status === 'skipped') return [];
  if (step.name === 'commit') return [];
  return differencesOf(known.inputs, await inputDigests(context, step));
}

/** Which parts of a passed stage's recipe are older than what would be used now. */
export function olderParts(then: object | undefined, now: object): string[] {
  if (!then) return [];
  const before = then as Record<string, string>;
  return Object.entries(now as Record<string, string>)
    .filter(([key, value]) => before[key] !== undefined && before[key] !== value)
    .map(([key]) => key);
}

/** Whether an ended run still stands as it is: every step fresh and no file of it changed. */
export async function isAllFresh(context: RunContext): Promise<boolean> {
  for (const step of context.project.steps) {
    const reasons = await staleReasons(context, step);
    if (reasons === 'open' || reasons.length > 0) return false;
  }
  for (const [path, { accepted }] of Object.entries(context.state.files)) {
    if ((await currentDigest(context, path)) !== accepted) return false;
  }
  return true;
}
