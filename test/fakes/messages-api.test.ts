import { describe, expect, it } from 'vitest';
import { ask, assembled, call, ephemeral, followedBy, hello, post, postJson, readEvents, start } from './ask.ts';
import type { Body } from './ask.ts';
import type { Answer, Profile } from './messages-api.mjs';

describe('a message', () => {
  const content = [
    { type: 'thinking', thinking: 'Let me think about that for more than one piece.', signature: 'c2ln' },
    { type: 'text', text: `${'é'.repeat(19)}${'😀'.repeat(40)} and an end` },
    { type: 'tool_use', id: 'a', name: 'write', input: { path: 'x.txt', lone: '\ud83d', content: 'line\n'.repeat(20) } },
    { type: 'tool_use', id: 'b', name: 'list', input: {} },
    { type: 'redacted_thinking', data: 'abc' },
  ];

  it('comes whole as JSON when no stream is asked for', async () => {
    const api = await start({ content, usage: { input_tokens: 3, output_tokens: 7 } });
    const { status, json } = await postJson(api, ask);
    expect(status).toBe(200);
    expect(json).toMatchObject({ type: 'message', role: 'assistant', model: 'm', content, stop_reason: 'tool_use', stop_sequence: null });
    expect(json['usage']).toEqual({
      input_tokens: 3,
      output_tokens: 7,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 0,
    });
  });

  it('streams in pieces that make up the same blocks', async () => {
    const api = await start({ content, stop_reason: 'max_tokens', usage: { input_tokens: 3, output_tokens: 7 } });
    const response = await post(api, { ...ask, stream: true });
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(response.headers.get('request-id')).toMatch(/^req_/);
    const { events, types } = await readEvents(response);
    expect(assembled(events)).toEqual(content);
    expect(types.slice(0, 3)).toEqual(['message_start', 'ping', 'content_block_start']);
    expect(types.slice(-3)).toEqual(['content_block_stop', 'message_delta', 'message_stop']);
    expect(events[0]?.['message']).toMatchObject({ content: [], stop_reason: null, usage: { input_tokens: 3, output_tokens: 1 } });
    expect(events.at(-2)).toMatchObject({ delta: { stop_reason: 'max_tokens', stop_sequence: null }, usage: { output_tokens: 7 } });
    const deltas = events.filter(({ type }) => type === 'content_block_delta').map(({ delta }) => delta as Body);
    expect(deltas.filter(({ type }) => type === 'input_json_delta').length).toBeGreaterThan(5);
    expect(deltas.every(({ type, text }) => type !== 'text_delta' || Buffer.from(text as string).toString() === text)).toBe(true);
  });

  it('carries a lone surrogate of a tool input as an escape', async () => {
    const api = await start({ content });
    const bytes = await (await post(api, { ...ask, stream: true })).text();
    expect(bytes).not.toContain('\ufffd');
    const { events } = await readEvents(new Response(bytes));
    const json = events.map(({ delta }) => (delta as Body | undefined)?.['partial_json'] ?? '').join('');
    expect(json).toContain('"lone":"\\ud83d"');
  });

  it('takes as long as its model time, in pieces that arrive apart', async () => {
    const api = await start({ content: [{ type: 'text', text: 'x'.repeat(100) }] }, { pace: { modelTime: 200 } });
    const begun = performance.now();
    const response = await post(api, { ...ask, stream: true });
    const first = performance.now() - begun;
    let chunks = 0;
    for await (const chunk of response.body ?? []) chunks += chunk.length > 0 ? 1 : 0;
    expect(first).toBeLessThan(150);
    expect(performance.now() - begun).toBeGreaterThan(190);
    expect(chunks).toBeGreaterThanOrEqual(5);
  });

  it('waits for its delay before the first byte', async () => {
    const api = await start({ ...hello, delay: 100 });
    const begun = performance.now();
    await post(api, { ...ask, stream: true });
    expect(performance.now() - begun).toBeGreaterThan(95);
  });
});

describe('a scripted answer', () => {
  const delta = { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'half' } };

  it('is sent with its status, headers and JSON', async () => {
    const json = { type: 'error', error: { type: 'rate_limit_error', message: 'slow down' } };
    const api = await start({ status: 429, headers: { 'retry-after': '7', 'content-length': '3' }, json });
    const response = await post(api, { ...ask, stream: true });
    expect([response.status, response.headers.get('retry-after')]).toEqual([429, '7']);
    expect(await response.json()).toEqual(json);
  });

  it('is sent as text of its kind', async () => {
    const api = await start((_body, index) =>
      index === 0 ? { status: 502, text: '<html></html>' } : { status: 200, text: 'plain', contentType: 'application/x-odd' },
    );
    const html = await post(api, ask);
    expect([html.status, html.headers.get('content-type'), await html.text()]).toEqual([502, 'text/html; charset=utf-8', '<html></html>']);
    expect((await post(api, ask)).headers.get('content-type')).toBe('application/x-odd');
  });

  it('is streamed when it is a message and a stream is asked for, unless it says not to', async () => {
    const json = { type: 'message', id: 'msg_1', role: 'assistant', model: 'other', stop_reason: 'end_turn', usage: {}, ...hello };
    const api = await start((_body, index) => ({ status: 200, json, asJson: index === 2 }));
    const { events } = await readEvents(await post(api, { ...ask, stream: true }));
    expect(events[0]?.['message']).toMatchObject({ id: 'msg_1', model: 'other' });
    expect(assembled(events)).toEqual(hello.content);
    expect((await postJson(api, ask)).json).toEqual(json);
    expect((await postJson(api, { ...ask, stream: true })).json).toEqual(json);
  });

  it('breaks the connection at CUT, after what stood before it', async () => {
    const api = await start({ status: 200, sse: ['PING', delta, 'CUT', delta] });
    const { types, broke } = await readEvents(await post(api, { ...ask, stream: true }));
    expect(types).toEqual(['ping', 'content_block_delta']);
    expect(broke).toBe(true);
    expect(api.requests[0]?.aborted).toBe(false);
  });

  it('sends nothing more at STALL and learns that the client left', async () => {
    const api = await start({ status: 200, sse: [delta, 'STALL', delta] });
    const leave = new AbortController();
    const reading = readEvents(await post(api, { ...ask, stream: true }, { signal: leave.signal }));
    const first = await Promise.race([reading, new Promise((resolve) => setTimeout(resolve, 100, 'still open'))]);
    expect(first).toBe('still open');
    expect(api.requests[0]?.aborted).toBe(false);
    leave.abort();
    expect(await reading).toMatchObject({ types: ['content_block_delta'], broke: true });
    await until(() => api.requests[0]?.aborted === true);
    expect(api.failures).toEqual([]);
  });

  it('ends cleanly at eof, without a message_stop', async () => {
    const api = await start({ status: 200, sse: [delta, { eof: true }, delta] });
    expect(await readEvents(await post(api, ask))).toMatchObject({ types: ['content_block_delta'], broke: false });
  });

  it('hangs without headers until the client leaves', async () => {
    const api = await start({ hang: true });
    const leave = new AbortController();
    const asking = post(api, ask, { signal: leave.signal }).catch(() => 'left');
    expect(await Promise.race([asking, new Promise((resolve) => setTimeout(resolve, 100, 'waiting'))])).toBe('waiting');
    leave.abort();
    expect(await asking).toBe('left');
    await until(() => api.requests[0]?.aborted === true);
  });
});

describe('the server', () => {
  it('keeps what answer throws, and says 500', async () => {
    const api = await start(() => {
      throw new Error('no such reply');
    });
    const { status, json } = await postJson(api, ask);
    expect([status, json['error']]).toEqual([500, { type: 'api_error', message: 'no such reply' }]);
    expect(api.failures).toEqual(['no such reply']);
  });

  it('keeps that an answer cannot be sent', async () => {
    const api = await start(() => undefined as unknown as Answer);
    expect((await postJson(api, ask)).status).toBe(500);
    expect(api.failures).toEqual([expect.stringContaining('request 0 got no answer')]);
  });

  it('lists requests in order, refused ones too, and counts them for answer', async () => {
    const seen: number[] = [];
    const api = await start((_body, index) => {
      seen.push(index);
      return hello;
    });
    await post(api, ask);
    await post(api, '{');
    await post(api, { ...ask, model: 'n' });
    expect(seen).toEqual([0, 2]);
    expect(api.requests.map(({ body }) => body.model ?? body)).toEqual(['m', '{', 'n']);
    expect(api.requests[0]?.headers['anthropic-version']).toBe('2023-06-01');
    expect(api.requests[2]?.at).toBeGreaterThan(api.requests[0]?.at ?? Infinity);
    expect(api.refusals).toEqual([expect.stringContaining('not valid JSON')]);
  });

  it('knows one path and, empty, the list of models', async () => {
    const api = await start();
    expect((await fetch(`${api.url}/v1/complete`, { method: 'POST', body: '{}' })).status).toBe(404);
    expect((await fetch(`${api.url}/v1/messages`)).status).toBe(404);
    expect(await (await fetch(`${api.url}/v1/models`)).json()).toEqual({ data: [] });
    expect(api.requests).toEqual([]);
  });

  it('closes though an answer hangs', async () => {
    const api = await start({ hang: true });
    const asking = post(api, ask).catch(() => 'cut off');
    await until(() => api.requests.length === 1);
    await api.close();
    expect(await asking).toBe('cut off');
    expect(api.requests[0]?.aborted).toBe(false);
  });

  const FAKE = 'a-key-of-no-worth';
  const carriers: [title: string, status: number, headers: Record<string, string>, profile?: Profile][] = [
    ['lets a bearer token in', 200, { authorization: `Bearer ${FAKE}` }],
    ['lets an x-api-key in', 200, { 'x-api-key': FAKE }],
    ['turns a wrong key away', 401, { 'x-api-key': `${FAKE}r` }],
    ['turns no key away', 401, {}],
    ['lets anybody in as ollama', 200, { 'x-api-key': 'any' }, 'ollama'],
    ['turns a wrong key away as llama.cpp', 401, {}, 'llama.cpp'],
  ];
  it.each(carriers)('%s', async (_title, status, headers, profile = 'anthropic') => {
    const api = await start(hello, { key: FAKE, profile });
    const answered = await postJson(api, ask, headers);
    expect(answered.status).toBe(status);
    if (status === 401) expect(answered.json['error'].type).toBe('authentication_error');
  });

  const shapes: [Profile, Body][] = [
    ['anthropic', { type: 'error', error: { type: 'invalid_request_error', message: expect.any(String) }, request_id: expect.any(String) }],
    ['ollama', { type: 'error', error: { type: 'invalid_request_error', message: expect.any(String) } }],
    ['llama.cpp', { error: { code: 400, type: 'invalid_request_error', message: expect.any(String) } }],
  ];
  it.each(shapes)('words errors as %s does', async (profile, shape) => {
    const api = await start(hello, { profile });
    expect((await postJson(api, { ...ask, max_tokens: 0 })).json).toEqual(shape);
  });

  it.each(['ollama', 'llama.cpp'] as const)('reports no cache tokens as %s', async (profile) => {
    const api = await start({ ...hello, usage: { input_tokens: 3, cache_read_input_tokens: 9, output_tokens: 7 } }, { profile });
    expect((await postJson(api, ask)).json['usage']).toEqual({ input_tokens: 3, output_tokens: 7 });
    const { events } = await readEvents(await post(api, { ...ask, stream: true }));
    expect(events[0]?.['message'].usage).toEqual({ input_tokens: 3, output_tokens: 1 });
  });
});

const back = (...blocks: Body[]) => followedBy(['assistant', blocks], ['user', 'Go on.']);

describe('thinking', () => {
  const thinking = { type: 'thinking', thinking: 'I think  so.', signature: 'c2ln' };
  const redacted = { type: 'redacted_thinking', data: 'abc' };
  const answers: [title: string, answer: Answer, stream: boolean][] = [
    ['streamed', { content: [thinking, redacted, call] }, true],
    ['sent as JSON', { content: [thinking, redacted, call] }, false],
    ['scripted as JSON', { status: 200, json: { type: 'message', content: [thinking, redacted] } }, false],
    [
      'scripted as events',
      {
        sse: [
          { type: 'content_block_start', index: 0, content_block: { type: 'thinking', thinking: '', signature: '' } },
          { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'I think' } },
          { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: '  so.' } },
          { type: 'content_block_delta', index: 0, delta: { type: 'signature_delta', signature: 'c2ln' } },
          { type: 'content_block_stop', index: 0 },
          { type: 'content_block_start', index: 1, content_block: redacted },
          { type: 'content_block_stop', index: 1 },
        ],
      },
      true,
    ],
  ];
  const last = { type: 'text', text: 'So.' };

  it('may not end a message', async () => {
    const api = await start(() => ({ content: [thinking, last], stop_reason: 'end_turn' }));
    await (await post(api, { ...ask, stream: false })).text();
    expect((await postJson(api, back(thinking))).status).toBe(400);
    expect((await postJson(api, back(thinking, last))).status).toBe(200);
  });

  it.each(answers)('that was %s is taken back unchanged only', async (_title, answer, stream) => {
    const api = await start((_body, index) => (index === 1 ? answer : hello));
    expect((await postJson(api, back(thinking, last))).status).toBe(400);
    await (await post(api, { ...ask, stream })).text();
    expect((await postJson(api, back(thinking, redacted, last))).status).toBe(200);
    expect((await postJson(api, back({ ...thinking, thinking: 'I think so.' }, last))).status).toBe(400);
    expect((await postJson(api, back({ ...thinking, signature: 'other' }, last))).status).toBe(400);
    expect((await postJson(api, back({ ...thinking, cache_control: ephemeral }, last))).status).toBe(400);
    expect((await postJson(api, back({ ...redacted, data: 'abd' }, last))).status).toBe(400);
  });
});

async function until(isTrue: () => boolean): Promise<void> {
  await expect.poll(isTrue, { timeout: 5000, interval: 5 }).toBe(true);
}
