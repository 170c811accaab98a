import type { ToolResultBlock, Usage } from '../model/engine.ts';
import type { AgentLimits } from '../model/agent.ts';
import type { Failure } from '../model/failure.ts';
import type { ToolCall } from './tool-calls.ts';

/** Says which limit an attempt has reached before its next turn, if any. Time is in milliseconds. */
export function reachedLimit(at: { turn: number; usage: Usage; elapsed: number }, limits: AgentLimits): Failure | undefined {
  // What is read from a cache is the same conversation again: every turn would count all before it.
  const tokens = at.usage.input + at.usage.output + at.usage.cacheWrite;
  if (at.turn > limits.turns) return limitFailure(`${limits.turns} turns`);
  if (tokens > limits.tokens) return limitFailure(`${limits.tokens} tokens (${tokens} used)`);
  if (at.elapsed > limits.time) return limitFailure(`${Math.round(limits.time / 60_000)} minutes`);
  return undefined;
}

function limitFailure(limit: string): Failure {
  return { kind: 'limit', message: `The attempt reached its limit of ${limit}.` };
}

const SAME_FAILURES = 3;

/** Notices a role that makes the same failing call over and over. */
export class RepeatedFailures {
  private readonly counts = new Map<string, number>();

  add(calls: ToolCall[], results: ToolResultBlock[]): Failure | undefined {
    for (const [index, call] of calls.entries()) {
      const result = results[index];
      if (!result?.isError) continue;
      const key = JSON.stringify([call.name, call.input, result.text]);
      const count = (this.counts.get(key) ?? 0) + 1;
      this.counts.set(key, count);
      if (count >= SAME_FAILURES) {
        return { kind: 'loop', message: `The call ${call.name} failed ${count} times in the same way: ${result.text.slice(0, 300)}` };
      }
    }
    return undefined;
  }
}
