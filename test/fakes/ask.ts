// How the tests of the fake ask it: with plain `fetch`.
import { afterEach, expect } from 'vitest';
import { startMessagesApi } from './messages-api.mjs';
import type { Answer, MessagesApi, MessagesApiOptions } from './messages-api.mjs';

export type Body = Record<string, any>;

const open: MessagesApi[] = [];
afterEach(async () => {
  for (const api of open.splice(0)) await api.close();
});

/** The least answer and the least body. */
export const hello = { content: [{ type: 'text', text: 'Hello.' }] };
export const ask = { model: 'm', max_tokens: 10, messages: [{ role: 'user', content: 'Hi.' }] };
export const call = { type: 'tool_use', id: 'a', name: 'read', input: {} };
export const result = { type: 'tool_result', tool_use_id: 'a', content: 'done' };
export const tool = { name: 'read', description: 'Reads.', input_schema: { type: 'object', properties: {} } };
export const ephemeral = { type: 'ephemeral' };
export const marked = (text: string) => ({ type: 'text', text, cache_control: ephemeral });

export async function start(answer: Answer | MessagesApiOptions['answer'] = hello, options: Partial<MessagesApiOptions> = {}) {
  const api = await startMessagesApi({ answer: typeof answer === 'function' ? answer : () => answer, ...options });
  open.push(api);
  return api;
}

export function post(
  api: MessagesApi,
  body: unknown,
  { headers = {}, signal }: { headers?: Record<string, string>; signal?: AbortSignal } = {},
) {
  return fetch(`${api.url}/v1/messages`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'anthropic-version': '2023-06-01', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
    ...(signal && { signal }),
  });
}

export async function postJson(api: MessagesApi, body: unknown, headers: Record<string, string> = {}) {
  const response = await post(api, body, { headers });
  return { status: response.status, json: (await response.json()) as Body };
}

/** The events of a stream as far as it came, each checked to name itself twice, and whether it broke off. */
export async function readEvents(response: Response) {
  let text = '';
  let broke = false;
  const decoder = new TextDecoder();
  try {
    for await (const chunk of response.body ?? []) text += decoder.decode(chunk, { stream: true });
  } catch {
    broke = true;
  }
  const events = text
    .split('\n\n')
    .filter((one) => one !== '')
    .map((one) => {
      const [, name, data] = /^event: (\w+)\ndata: (.+)$/.exec(one) ?? [];
      const event = JSON.parse(data ?? '') as Body;
      expect(event['type']).toBe(name);
      return event;
    });
  return { events, broke, types: events.map((event) => event['type'] as string) };
}

export function assembled(events: Body[]): Body[] {
  const blocks: Body[] = [];
  const json: string[] = [];
  for (const { type, index, content_block: block, delta } of events) {
    if (type === 'content_block_start') blocks[index] = { ...block };
    if (type !== 'content_block_delta') continue;
    const at = blocks[index] as Body;
    if (delta.type === 'text_delta') at['text'] += delta.text;
    if (delta.type === 'thinking_delta') at['thinking'] += delta.thinking;
    if (delta.type === 'signature_delta') at['signature'] += delta.signature;
    if (delta.type === 'input_json_delta') json[index] = (json[index] ?? '') + delta.partial_json;
  }
  json.forEach((text, index) => {
    if (text !== '') (blocks[index] as Body)['input'] = JSON.parse(text);
  });
  return blocks;
}

/** A body with these messages after the first one. */
export const followedBy = (...messages: [role: string, content: unknown][]) => ({
  ...ask,
  messages: [...ask.messages, ...messages.map(([role, content]) => ({ role, content }))],
});
