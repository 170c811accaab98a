import { EngineError, ParkedError } from '../../errors.ts';
import { NO_USAGE, type Effort, type Provider, type Reply, type TurnRequest } from '../../model/engine.ts';
import type { Capabilities } from './capabilities.ts';
import { lostUsage } from './accumulate.ts';
import { nextWait, type Fault, type WaitPolicy } from './fault.ts';
import { toReply } from './reply.ts';
import { toRequestBody } from './request.ts';
import type { Send } from './transport.ts';

export interface MessagesApiOptions {
  /** As a person names it, e.g. `anthropic` or `anthropic:http://localhost:11434`. */
  name: string;
  baseUrl: string;
  model: string;
  effort?: Effort;
  capabilities: Capabilities;
  send: Send;
  policy: WaitPolicy;
  /** Waits so many milliseconds, or rejects with the abort reason. */
  wait: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  /** 0 to 1. */
  random: () => number;
  /** Takes keys out of a text. */
  redact: (text: string) => string;
}

/**
 * A model behind the Messages API. Every turn is one request that streams; a request that fails for a passing reason is
 * made again, here and nowhere else. It keeps no state between turns.
 */
export function createMessagesApiEngine(options: MessagesApiOptions): Provider {
  const { name, model, capabilities, send, policy, wait, random } = options;
  return {
    kind: 'provider',
    name,
    model,
    window: { total: capabilities.contextWindow, reply: capabilities.maxOutput },
    complete: async (request, { signal, onProgress, onLost, onWait }) => {
      signal.throwIfAborted();
      const body = toRequestBody(request, options);
      for (let tries = 1; ; tries += 1) {
        const outcome = await send(body, { signal, ...(onProgress && { onProgress }) });
        if (outcome.ok) return toReply(outcome.message, request.messages);
        const lost = lostUsage(outcome.partial);
        if (lost) await onLost?.(lost);
        signal.throwIfAborted();
        const fault = { ...outcome.fault, message: options.redact(outcome.fault.message) };
        if (fault.kind === 'context-overflow') return overflow(fault);
        const milliseconds = nextWait(fault, tries, policy, random);
        if (milliseconds === undefined) throw errorOf(fault, { tries, request, options });
        onWait?.({ reason: fault.message, milliseconds });
        await wait(milliseconds, signal);
      }
    },
  };
}

function overflow({ message }: Fault): Reply {
  return { content: [], stop: 'context-overflow', usage: { ...NO_USAGE }, detail: message };
}

interface Asked {
  tries: number;
  request: TurnRequest;
  options: MessagesApiOptions;
}

/** What ends the command: `ParkedError` when the same request will be answered later, `EngineError` when somebody must mend something. */
function errorOf(fault: Fault, { tries, request, options }: Asked): Error {
  const { baseUrl, policy } = options;
  const message = `${fault.message}${tries > 1 ? ` (asked ${tries} times)` : ''}`;
  const kind = fault.kind as Exclude<Fault['kind'], 'context-overflow'>;
  if (kind === 'rate-limit' || kind === 'overload' || kind === 'spend-limit') {
    const wait = fault.after === undefined ? '' : ` It asks to wait ${Math.ceil(fault.after / 1000)} s`;
    const longest =
      fault.after !== undefined && fault.after > policy.longest ? `, longer than the ${policy.longest / 1000} s a run waits.` : '.';
    return new ParkedError(`${message}${wait === '' ? '' : `${wait}${longest}`}`, {
      kind,
      hint: kind === 'spend-limit' ? 'Raise the limit of the account, or wait until it is renewed.' : 'Wait a while.',
    });
  }
  return new EngineError(message, { kind, hint: hintOf(kind, { baseUrl, model: request.model ?? options.model }) });
}

function hintOf(kind: string, { baseUrl, model }: { baseUrl: string; model: string }): string {
  if (kind === 'auth') return `The key was not accepted at ${baseUrl}; set ANTHROPIC_API_KEY to one that may use ${model}.`;
  if (kind === 'network') return `Is ${baseUrl} reachable?`;
  return `Check the model (${model}) and the base URL (${baseUrl}).`;
}
