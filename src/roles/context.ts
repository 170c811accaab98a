export interface ContextInput {
  name: string;
  kind: string;
  text: string;
}

/** Bytes per token: a safe bound for Markdown, where four would be far too many. */
const BYTES_PER_TOKEN = 2.5;

/** Tokens a text takes at the most. */
export function estimateTokens(text: string): number {
  return Math.ceil(new TextEncoder().encode(text).length / BYTES_PER_TOKEN);
}

/**
 * What a stage is shown, by rule: in the order of `order` (kinds), then by name, as long as the budget (tokens) lasts.
 * What does not fit is left out whole and named. The same inputs give the same context.
 */
export function curateContext(inputs: readonly ContextInput[], { order, budget }: { order: readonly string[]; budget: number }): { kept: ContextInput[]; leftOut: string[] } {
  const rank = (kind: string): number => (order.includes(kind) ? order.indexOf(kind) : order.length);
  const sorted = [...inputs].sort((one, other) => rank(one.kind) - rank(other.kind) || (one.name < other.name ? -1 : 1));
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
