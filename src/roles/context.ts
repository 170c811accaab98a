import { estimateTokens } from '../text/tokens.ts';

/** Something a role is given to read. */
export interface ContextInput {
  /** As it is cited. */
  name: string;
  /** As roles list it in `reads`. */
  kind: string;
  text: string;
}

/**
 * What a stage is shown, by rule: in the order of `order` (kinds), then by name, as long as the budget (tokens) lasts.
 * What does not fit is left out whole and named; smaller ones after it may still fit. The same inputs give the same context.
 */
export function curateContext(
  inputs: readonly ContextInput[],
  { order, budget }: { order: readonly string[]; budget: number },
): { kept: ContextInput[]; leftOut: string[] } {
  const rank = (kind: string): number => (order.includes(kind) ? order.indexOf(kind) : order.length);
  const sorted = [...inputs].toSorted((one, other) => rank(one.kind) - rank(other.kind) || compare(one.name, other.name));
  const kept: ContextInput[] = [];
  const leftOut: string[] = [];
  let left = budget;
  for (const input of sorted) {
    const tokens = estimateTokens(input.text);
    if (tokens > left) leftOut.push(input.name);
    else {
      kept.push(input);
      left -= tokens;
    }
  }
  return { kept, leftOut };
}

/** By code unit, so that every machine has the same order. */
function compare(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}
