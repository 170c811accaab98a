import {
  NO_USAGE,
  type EngineContext,
  type Message,
  type Prompt,
  type Provider,
  type Reply,
  type ToolResultBlock,
  type Usage,
} from '../model/engine.ts';
import type { AgentLimits, AgentResult, AttemptRecord } from '../model/agent.ts';
import type { Failure } from '../model/failure.ts';
import { runCall, type CallContext, type ToolCall } from './tool-calls.ts';
import { reachedLimit, RepeatedFailures } from './limits.ts';

export interface AgentJob extends CallContext {
  provider: Provider;
  key: { step: string; attempt: number };
  prompt: Prompt;
  limits: AgentLimits;
  record: AttemptRecord;
  clock: { monotonic(): number };
  onProgress?: EngineContext['onProgress'];
  onWait?: EngineContext['onWait'];
}

/**
 * The turn loop: a reply, its calls, their results, until a submission is accepted or a limit is reached. What the
 * journal holds of the attempt is taken from there and never asked for again. What the model did wrong comes back as a
 * failure; rejects with the engine's `EngineError`, a gate's error or the abort reason.
 */
export async function runAgent(job: AgentJob): Promise<AgentResult> {
  const messages: Message[] = [{ role: 'user', content: [{ type: 'text', text: job.prompt.task }] }];
  const repeated = new RepeatedFailures();
  const usage = { ...NO_USAGE };
  const startedAt = job.clock.monotonic();
  let mends = 0;
  for (let turn = 1; ; turn += 1) {
    const limit = reachedLimit({ turn, usage, elapsed: job.clock.monotonic() - startedAt }, job.limits);
    if (limit) return failed(limit);
    const reply = await nextReply(job, turn, messages);
    addUsage(usage, reply.usage);
    if (reply.stop === 'truncated')
      return failed({ kind: 'truncated', message: `Turn ${turn} was cut off at the output limit; none of its tool calls ran.` });
    if (reply.stop === 'refusal') return failed({ kind: 'refusal', message: `The model refused at turn ${turn}.` });
    messages.push({ role: 'assistant', content: reply.content });

    const calls = reply.content.filter((block) => block.type === 'tool-call');
    if (calls.length === 0) {
      const failure: Failure = { kind: 'no-artifact', message: 'The role ended its turn without handing anything in.' };
      if ((mends += 1) > job.limits.mendRounds) return failed(failure);
      messages.push({ role: 'user', content: [{ type: 'text', text: `Nothing was handed in. Call ${job.submitTool} to finish.` }] });
      continue;
    }
    const round = await runCalls(calls, turn, job);
    messages.push({ role: 'user', content: round.results });
    if (round.accepted) return { kind: 'finished' };
    if (round.final) return failed(round.final);
    if (round.rejected && (mends += 1) > job.limits.mendRounds) return failed(round.rejected);
    const loop = repeated.add(calls, round.results);
    if (loop) return failed(loop);
  }
}

async function nextReply(job: AgentJob, turn: number, messages: Message[]): Promise<Reply> {
  const recorded = await job.record.turn(turn);
  if (recorded) return recorded;
  job.signal.throwIfAborted();
  const askedAt = job.clock.monotonic();
  const { system, tools } = job.prompt;
  const reply = await job.provider.complete(
    { key: { ...job.key, turn }, system, messages, tools },
    { signal: job.signal, ...(job.onProgress && { onProgress: job.onProgress }), ...(job.onWait && { onWait: job.onWait }) },
  );
  await job.record.recordTurn(turn, reply, Math.round(job.clock.monotonic() - askedAt));
  return reply;
}

interface Round {
  results: ToolResultBlock[];
  accepted: boolean;
  rejected?: Failure;
  /** A failure that no further turn can mend. */
  final?: Failure;
}

/** Exactly one result per call, in call order; what follows an accepted submission is not run. */
async function runCalls(calls: ToolCall[], turn: number, job: AgentJob): Promise<Round> {
  const round: Round = { results: [], accepted: false };
  for (const call of calls) {
    if (round.accepted || round.final) {
      round.results.push({
        type: 'tool-result',
        id: call.id,
        text: 'Not run: an earlier call of this reply ended the stage.',
        isError: true,
      });
      continue;
    }
    const outcome = await runCall(call, turn, job);
    round.results.push({ type: 'tool-result', id: call.id, text: outcome.text, isError: outcome.isError });
    if (outcome.accepted) round.accepted = true;
    if (outcome.rejected) round.rejected = outcome.rejected;
    if (outcome.final) round.final = outcome.final;
  }
  return round;
}

function addUsage(sum: Usage, more: Usage): void {
  for (const key of ['input', 'output', 'cacheRead', 'cacheWrite'] as const) sum[key] += more[key];
}

function failed(failure: Failure): AgentResult {
  return { kind: 'failed', failure };
}
