import { UsageError } from '../errors.ts';
import type { KindName } from '../model/artifact.ts';
import { didYouMean } from '../text/did-you-mean.ts';

/** A step that a role plays. */
export interface StageDefinition {
  type: 'stage';
  name: string;
  role: string;
  kind: KindName;
  /** From here to the commit the checkout belongs to one feature. */
  needsCheckout: boolean;
  /** Whether a person may skip it: nothing after it needs what it makes. */
  optional: boolean;
  /** Whether the role's own writing tools are open at this stage. */
  writes: boolean;
}

export interface ProgramStepDefinition {
  type: 'program';
  name: 'verify' | 'commit';
  needsCheckout: true;
  optional: false;
}

export type StepDefinition = StageDefinition | ProgramStepDefinition;

const BUILT_IN: StepDefinition[] = [
  { type: 'stage', name: 'spec', role: 'spec', kind: 'feature-spec', needsCheckout: false, optional: false, writes: false },
  { type: 'stage', name: 'stories', role: 'ba', kind: 'story', needsCheckout: false, optional: false, writes: false },
  { type: 'stage', name: 'tests', role: 'tester', kind: 'test-spec', needsCheckout: true, optional: false, writes: false },
  { type: 'stage', name: 'plan', role: 'developer', kind: 'implementation-plan', needsCheckout: true, optional: true, writes: false },
  { type: 'stage', name: 'implement', role: 'developer', kind: 'hand-off', needsCheckout: true, optional: false, writes: true },
  { type: 'program', name: 'verify', needsCheckout: true, optional: false },
  { type: 'program', name: 'commit', needsCheckout: true, optional: false },
];

/** Persona and other names of steps. Pausing after a role means after its last step before the commit. */
const ALIASES: Record<string, string> = {
  alex: 'spec',
  cass: 'stories',
  ba: 'stories',
  nigel: 'tests',
  tester: 'tests',
  'codey-plan': 'plan',
  'codey-implement': 'implement',
};
const PAUSE_ALIASES: Record<string, string> = { codey: 'verify', developer: 'verify' };
const STEP_ALIASES: Record<string, string> = { codey: 'implement', developer: 'implement' };

/** The steps of a project in order: the built-in ones and the stages its configuration adds. */
export function stepsOf(extra: readonly { name: string; role: string; after: string }[]): StepDefinition[] {
  const steps = [...BUILT_IN];
  for (const { name, role, after } of extra) {
    const at = steps.findIndex((step) => step.name === after);
    if (at === -1) throw new UsageError(`Stage ${name} comes after ${JSON.stringify(after)}, and there is no such step.`);
    const needsCheckout = steps[at]?.needsCheckout ?? false;
    steps.splice(at + 1, 0, { type: 'stage', name, role, kind: 'report', needsCheckout, optional: true, writes: false });
  }
  return steps;
}

/**
 * Finds the step a person named by step, role or persona.
 * @throws UsageError with "did you mean" for a name that is none of these.
 */
export function resolveStep(word: string, steps: readonly StepDefinition[], use: 'pause' | 'from'): StepDefinition {
  const name = word.trim().toLowerCase();
  const aliases = { ...ALIASES, ...(use === 'pause' ? PAUSE_ALIASES : STEP_ALIASES) };
  const byRole = steps.findLast((step) => step.type === 'stage' && step.role === name && !(name in aliases));
  const found = steps.find((step) => step.name === name) ?? steps.find((step) => step.name === aliases[name]) ?? byRole;
  if (found) return found;
  const names = [...new Set([...steps.map((step) => step.name), ...Object.keys(aliases)])];
  const near = didYouMean(name, names);
  throw new UsageError(
    `Unexpected step ${JSON.stringify(word)}, expected one of ${names.join(', ')}.`,
    near === undefined ? {} : { hint: `Did you mean ${near}?` },
  );
}
