import { ParkedError, UsageError } from '../errors.ts';
import type { RunLimits, RunOptions } from '../model/api.ts';
import type { LimitChanges } from '../model/event.ts';
import type { StopKind } from '../model/failure.ts';
import type { RunContext } from './context.ts';
import { costOfAttempts } from './cost.ts';

type Name = keyof RunLimits;

const OPTIONS: Record<Name, string> = { budget: '--budget', turns: '--max-turns', minutes: '--max-time' };

/** Limits in force: the configuration's, then what the run was begun or resumed with, then what this command says. */
export function limitsOf({ project, state, options }: Pick<RunContext, 'project' | 'state' | 'options'>): RunLimits {
  const spoken = { ...project.config.run, ...state.limits, ...options.limits };
  return Object.fromEntries(Object.entries(spoken).filter(([, value]) => typeof value === 'number'));
}

/** Limits as they are recorded. They stay with the run until another command says otherwise; null takes one away. */
export function limitsData({ limits = {} }: RunOptions): { limits?: LimitChanges } {
  const given = Object.entries(limits).map(([name, value]) => [name, value === 'none' ? null : value] as const);
  return given.length > 0 ? { limits: Object.fromEntries(given) } : {};
}

/**
 * Stops the run where a limit of the whole run is reached. Asked before every turn, so at most the one that was under
 * way goes over.
 * @throws ParkedError (exit 3): what is recorded stays, and a resume with a higher limit goes on.
 */
export function demandWithinLimits(context: RunContext): void {
  const limits = limitsOf(context);
  const attempts = Object.values(context.state.steps).flatMap((step) => step.attempts);
  const turns = attempts.reduce((sum, attempt) => sum + attempt.turns, 0);
  const minutes = (context.clock.monotonic() - context.startedAt) / 60_000;
  if (limits.turns !== undefined && turns >= limits.turns) {
    throw reached(context, 'turns', `The run has used ${turns} turns; its limit is ${limits.turns}.`, Math.max(limits.turns, turns) * 2);
  }
  if (limits.minutes !== undefined && minutes >= limits.minutes) {
    throw reached(
      context,
      'minutes',
      `The run has worked for ${minutes.toFixed(1)} minutes; its limit is ${limits.minutes}.`,
      limits.minutes,
    );
  }
  if (limits.budget === undefined) return;
  const spent = costOfAttempts(attempts, context.project.config.prices);
  if (spent === 'unknown') throw unknownPrice('an attempt of this run');
  if (spent >= limits.budget) {
    throw reached(
      context,
      'budget',
      `The run has cost $${spent.toFixed(2)}; its budget is $${limits.budget}.`,
      Math.ceil(Math.max(limits.budget, spent) * 2),
    );
  }
}

function reached({ feature }: RunContext, name: Name, message: string, higher: number): ParkedError {
  const kinds: Record<Name, StopKind> = { budget: 'budget', turns: 'turns', minutes: 'time' };
  return new ParkedError(message, {
    kind: kinds[name],
    hint: `Go on with: blueprint resume ${feature} ${OPTIONS[name]} ${higher}   (or none)`,
  });
}

/** What a budget cannot be held against. */
export function unknownPrice(what: string): UsageError {
  return new UsageError(`The price of ${what} is unknown, so a budget cannot be kept.`, {
    hint: 'State it in .blueprint/config.yaml below prices:, in US dollars for a million tokens, or leave the budget out.',
  });
}
