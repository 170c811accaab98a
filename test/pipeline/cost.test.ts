import { expect, it } from 'vitest';
import { NO_USAGE } from '../../src/model/engine.ts';
import type { AttemptSummary } from '../../src/model/state.ts';
import { costOfAttempts } from '../../src/pipeline/cost.ts';

function attempt(more: Partial<AttemptSummary>): AttemptSummary {
  return { attempt: 1, outcome: 'passed', usage: NO_USAGE, long: NO_USAGE, unmetered: 0, turns: 1, startedAt: '', inputs: {}, ...more };
}

const MILLION = { input: 1_000_000, output: 0, cacheRead: 0, cacheWrite: 0 };

it.each([
  ['nothing was asked', [attempt({ turns: 0 })], 0],
  ['a model of the table, with a date behind its id', [attempt({ model: 'claude-sonnet-5-5-20261007', usage: MILLION })], 2],
  ['a model with a similar name', [attempt({ model: 'claude-sonnet-5-5-mini', usage: MILLION })], 'unknown'],
  ['a request was refused as too large', [attempt({ model: 'claude-opus-5-5', turns: 1 })], 0],
  ['no model', [attempt({ usage: MILLION })], 'unknown'],
  [
    'one attempt of two has no price',
    [attempt({ model: 'claude-opus-5-5', usage: MILLION }), attempt({ model: 'x', usage: MILLION })],
    'unknown',
  ],
  ['a server that counts no tokens', [attempt({ model: 'claude-opus-5-5', turns: 30, unmetered: 1, usage: MILLION })], 'unknown'],
  ['a model that costs nothing by its own price', [attempt({ model: 'local', turns: 30, unmetered: 30 })], 0],
  [
    'long prompts have a price of their own',
    [attempt({ model: 'claude-haiku-5-5', usage: MILLION, long: { ...MILLION, input: 400_000 } })],
    0.06 + 0.2,
  ],
] as [string, AttemptSummary[], number | 'unknown'][])('the cost is right when %s', (_, attempts, cost) => {
  const known = costOfAttempts(attempts, { local: { input: 0, output: 0 } });
  if (typeof cost === 'number') expect(known).toBeCloseTo(cost);
  else expect(known).toBe(cost);
});
