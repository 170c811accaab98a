import {
  addUsage,
  NO_USAGE,
  type EngineContext,
  type Message,
  type Prompt,
  type Provider,
  type Reply,
  type ToolResultBlock,
  type TurnRequest,
} from '../model/engine.ts';
import type { AgentLimits, AgentResult, AttemptRecord } from '../model/agent.ts';
import type { Failure } from '../model/failure.ts';
import { cleanReply } from './clean-reply.ts';
import { ContextWindow, type Fitted } from './fit-window.ts';
import { nudgeFor, SPOKEN } from './nudge.ts';
import { runCall, type CallContext, type ToolCall } from './tool-calls.ts';
import { reachedLimit, RepeatedFailures } from './limits.ts';

export interface AgentJob extends CallContext {
  provider: Provider;
  key: { step: string; attempt: number };
  prompt: Prompt;
  /** Model and effort of the role, where they are not the engine's own. */
  choice: Pick<TurnRequest, 'model' | 'effort'>;
  limits: AgentLimits;
  record: AttemptRecord;
  clock: { monotonic(): number };
  engineContext: EngineContext;
  /** Before each turn that is asked for; rejects when the run has reached a limit of its own. */
  beforeTurn(turn: number): void;
  /** The last object in a text that fits the submission of this stage. */
  findSubmission: (text: string) => unknown;
}

/**
 * The turn loop: a reply, its calls, their results, until a submission is accepted or a limit is reached. What the
 * journal holds of the attempt is taken from there and never asked for again. What the model did wrong comes back as a
 * failure; rejects with the engine's error, a gate's or a run limit's error, or the abort reason.
 */
export async function runAgent(job: AgentJob): Promise<AgentResult> {
  const messages: Message[] = [{ role: 'user', content: [{ type: 'text', text: job.prompt.task }] }];
  const { window } = job.provider;
  const context = new ContextWindow(job.prompt, window && window.total - window.reply);
  const repeated = new RepeatedFailures();
  const usage = { ...NO_USAGE };
  const startedAt = job.clock.monotonic();
  let mends = 0;
  for (let turn = 1; ; turn += 1) {
    const limit = reachedLimit({ turn, usage, elapsed: job.clock.monotonic() - startedAt }, job.limits);
    if (limit) return failed(limit);
    const fitted = context.fit(messages);
    if (!fitted.fits) return failed(tooLarge(fitted));
    const reply = await nextReply(job, turn, fitted);
    addUsage(usage, reply.usage);
    if (reply.stop === 'refusal') return failed({ kind: 'refusal', message: `The model refused at turn ${turn}${because(reply)}.` });
    if (reply.stop === 'context-overflow')
      return failed({ kind: 'context-overflow', message: `The context is too large for the model at turn ${turn}${because(reply)}.` });
    messages.push({ role: 'assistant', content: reply.content });

    const nudge = nudgeFor(reply, job);
    if (nudge) {
      if ((mends += 1) > job.limits.mendRounds) return failed(nudge.failure);
      messages.push(nudge.message);
      continue;
    }
    const round = await runCalls(callsOf(reply, job), turn, job);
    messages.push(
      isSpoken(round)
        ? { role: 'user', content: [{ type: 'text', text: round.results[0]?.text ?? '' }] }
        : { role: 'user', content: round.results },
    );
    if (round.accepted) return { kind: 'finished' };
    if (round.final) return failed(round.final);
    if (round.rejected && (mends += 1) > job.limits.mendRounds) return failed(round.rejected);
    const loop = repeated.add(callsOf(reply, job), round.results);
    if (loop) return failed(loop);
  }
}

async function nextReply(job: AgentJob, turn: number, fitted: Fitted & { fits: true }): Promise<Reply> {
  const recorded = await job.record.turn(turn);
  if (recorded) return recorded;
  job.signal.throwIfAborted();
  job.beforeTurn(turn);
  const { messages, shortened, before, after } = fitted;
  if (shortened.length > 0) await job.record.recordTrim(turn, { calls: shortened, before, after });
  const askedAt = job.clock.monotonic();
  const { system, tools } = job.prompt;
  const asked = await job.provider.complete(
    { key: { ...job.key, turn }, system, messages, tools, ...job.choice },
    { ...job.engineContext, onLost: (usage) => job.record.recordLost(turn, usage) },
  );
  const reply = cleanReply(asked, job.redact);
  await job.record.recordTurn(turn, reply, Math.round(job.clock.monotonic() - askedAt));
  return reply;
}

/** A submission that was written as text is a call like any other, but for how it is answered. */
function callsOf({ content }: Reply, job: AgentJob): ToolCall[] {
  const calls = content.filter((block) => block.type === 'tool-call');
  if (calls.length > 0) return calls;
  const text = content.map((block) => (block.type === 'text' ? block.text : '')).join('\n');
  return [{ id: SPOKEN, name: job.submitTool, input: job.findSubmission(text) }];
}

function isSpoken({ results }: Round): boolean {
  return results[0]?.id === SPOKEN;
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

function tooLarge({ tokens, largest }: Fitted & { fits: false }): Failure {
  return {
    kind: 'context-overflow',
    message: `The context is too large for the model, about ${tokens} tokens; the largest part is ${largest.name} with about ${largest.tokens}.`,
  };
}

function because({ detail }: Reply): string {
  return detail === undefined ? '' : ` (${detail})`;
}

function failed(failure: Failure): AgentResult {
  return { kind: 'failed', failure };
}
