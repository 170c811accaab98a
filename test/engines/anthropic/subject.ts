import { setTimeout as sleep } from 'node:timers/promises';
import { ENDPOINTS } from '../../../src/engines/anthropic/capabilities.ts';
import { createMessagesApiEngine, type MessagesApiOptions } from '../../../src/engines/anthropic/provider.ts';
import { createTransport } from '../../../src/engines/anthropic/transport.ts';
import type { EngineContext, Provider, Reply, TurnRequest } from '../../../src/model/engine.ts';
import { startMessagesApi, type Answer, type MessagesApi, type MessagesApiOptions as FakeOptions } from '../../fakes/messages-api.mjs';

export const KEY = 'sk-ant-loopback-0123456789abcdef';

export const REQUEST: TurnRequest = {
  key: { step: 'spec', attempt: 1, turn: 1 },
  system: ['shared', 'role'],
  messages: [{ role: 'user', content: [{ type: 'text', text: 'the task' }] }],
  tools: [{ name: 'write_file', description: 'writes', inputSchema: { type: 'object', properties: {} } }],
};

export interface Subject {
  api: MessagesApi;
  engine: Provider;
  waits: { reason: string; milliseconds: number }[];
  ask: (context?: Partial<EngineContext>, request?: TurnRequest) => Promise<Reply>;
}

const open: MessagesApi[] = [];

/** An engine with short waits in front of a fake that gives these answers in order, the last one for ever. */
export async function subject(
  answers: Answer[] | FakeOptions['answer'],
  more: { idle?: number; options?: Partial<MessagesApiOptions>; fake?: Partial<FakeOptions> } = {},
): Promise<Subject> {
  const answer =
    typeof answers === 'function' ? answers : (_: unknown, index: number) => answers[Math.min(index, answers.length - 1)] as Answer;
  const api = await startMessagesApi({ answer, key: KEY, ...more.fake });
  open.push(api);
  const engine = engineAt(api.url, more);
  const waits: Subject['waits'] = [];
  const ask: Subject['ask'] = (context = {}, request = REQUEST) =>
    engine.complete(request, { signal: new AbortController().signal, onWait: (wait) => waits.push(wait), ...context });
  return { api, engine, waits, ask };
}

export function engineAt(
  baseUrl: string,
  { idle = 2000, options = {} }: { idle?: number; options?: Partial<MessagesApiOptions> } = {},
): Provider {
  return createMessagesApiEngine({
    name: 'anthropic',
    baseUrl,
    model: 'claude-test',
    capabilities: ENDPOINTS.anthropic,
    send: createTransport({ baseUrl, key: KEY, bothHeaders: false, idle, now: () => Date.now() }),
    policy: { retries: 3, longest: 400, first: 5 },
    wait: (milliseconds, signal) => sleep(milliseconds, undefined, { signal }).catch(() => signal.throwIfAborted()),
    random: () => 0.5,
    redact: (text) => text.replaceAll(KEY, '[redacted]'),
    ...options,
  });
}

export async function closeAll(): Promise<void> {
  for (const api of open.splice(0)) await api.close();
}
