import { costOf, priceOf, type PriceOverrides } from '../config/prices.ts';
import type { Cost } from '../model/api.ts';
import type { Usage } from '../model/engine.ts';
import type { AttemptSummary } from '../model/state.ts';

/** US dollars of all turns of these attempts, or `unknown` as soon as one of them has tokens without a price. */
export function costOfAttempts(attempts: readonly AttemptSummary[], overrides: PriceOverrides): Cost {
  let sum = 0;
  for (const { usage, long, model } of attempts) {
    if (isNothing(usage)) continue;
    const price = priceOf(model, overrides);
    if (!price) return 'unknown';
    sum += costOf({ usage, long }, price);
  }
  return sum;
}

function isNothing({ input, output, cacheRead, cacheWrite }: Usage): boolean {
  return input + output + cacheRead + cacheWrite === 0;
}
