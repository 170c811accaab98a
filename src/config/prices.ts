import type { Usage } from '../model/engine.ts';

/** US dollars for a million tokens. Cache writes are those kept for five minutes, the only ones that are asked for. */
export interface Price {
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
  /** What holds instead for turns whose prompt is over 100,000 tokens. */
  long?: Omit<Price, 'long'>;
}

/** When the table was last compared with the published prices. */
export const PRICES_OF = '2026-11-30';

const OPUS_5: Price = { input: 5, output: 25, cacheWrite: 6.25, cacheRead: 0.5 };

const PRICES: Record<string, Price> = {
  'claude-opus-5-5': { input: 4, output: 20, cacheWrite: 5, cacheRead: 0.2 },
  'claude-sonnet-5-5': { input: 2, output: 10, cacheWrite: 2.5, cacheRead: 0.1 },
  'claude-haiku-5-5': {
    input: 0.1,
    output: 0.5,
    cacheWrite: 0.125,
    cacheRead: 0.01,
    long: { input: 0.5, output: 2.5, cacheWrite: 0.625, cacheRead: 0.05 },
  },
  'claude-fable-5-1': { input: 10, output: 50, cacheWrite: 12.5, cacheRead: 0.25 },
  'claude-fable-5': { input: 10, output: 50, cacheWrite: 12.5, cacheRead: 1 },
  'claude-opus-5': OPUS_5,
  'claude-opus-4-8': OPUS_5,
  'claude-opus-4-7': OPUS_5,
  'claude-opus-4-6': OPUS_5,
  'claude-opus-4-5': OPUS_5,
  'claude-sonnet-5': { input: 2, output: 10, cacheWrite: 2.5, cacheRead: 0.2 },
};

/** Prices as a project states them; what it leaves out of the cache costs what input does. */
export type PriceOverrides = Record<
  string,
  { input: number; output: number; cacheRead?: number | undefined; cacheWrite?: number | undefined }
>;

/**
 * The price of a model, by its id or its id with a date behind it; a project's own goes first. A similar name is another
 * model: its price is unknown.
 */
export function priceOf(model: string | undefined, overrides: PriceOverrides): Price | undefined {
  if (model === undefined) return undefined;
  const undated = model.replace(/-\d{8}$/, '');
  const own = ownValue(overrides, model) ?? ownValue(overrides, undated);
  if (own) return { input: own.input, output: own.output, cacheRead: own.cacheRead ?? own.input, cacheWrite: own.cacheWrite ?? own.input };
  return ownValue(PRICES, model) ?? ownValue(PRICES, undated);
}

/**
 * US dollars that tokens cost; `long` is the part of `usage` that came from turns with a prompt over `LONG_PROMPT`
 * tokens. Sum over the kinds of token of count x price / 1,000,000.
 */
export function costOf({ usage, long }: { usage: Usage; long: Usage }, price: Price): number {
  const { long: priceOfLong = price } = price;
  const kinds = ['input', 'output', 'cacheRead', 'cacheWrite'] as const;
  return kinds.reduce((sum, kind) => sum + ((usage[kind] - long[kind]) * price[kind] + long[kind] * priceOfLong[kind]) / 1_000_000, 0);
}

function ownValue<Value>(table: Record<string, Value>, key: string): Value | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined;
}
