import { costOf, priceOf, type Price, type PriceOverrides } from '../config/prices.ts';
import type { Cost } from '../model/api.ts';
import type { Usage } from '../model/engine.ts';
import type { AttemptSummary } from '../model/state.ts';

/** US dollars of all turns of these attempts, or `unknown` as soon as one of them has tokens without a price. */
export function costOfAttempts(attempts: readonly AttemptSummary[], overrides: PriceOverrides): Cost {
  let sum = 0;
  for (const { usage, long, model, unmetered } of attempts) {
    if (unmetered === 0 && isNothing(usage)) continue;
    const price = priceOf(model, overrides);
    // A server that counts no tokens has not worked for nothing.
    if (!price || (unmetered > 0 && !isFree(price))) return 'unknown';
    sum += costOf({ usage, long }, price);
  }
  return sum;
}

function isFree(price: Price): boolean {
  return price.input === 0 && price.output === 0;
}

function isNothing({ input, output, cacheRead, cacheWrite }: Usage): boolean {
  return input + output + cacheRead + cacheWrite === 0;
}
