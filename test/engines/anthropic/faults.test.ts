import { afterEach, describe, expect, it } from 'vitest';
import { EngineError, ParkedError } from '../../../src/errors.ts';
import type { Usage } from '../../../src/model/engine.ts';
import type { Answer } from '../../fakes/messages-api.mjs';
import { closeAll, engineAt, KEY, REQUEST, subject } from './subject.ts';

afterEach(closeAll);

const OK: Answer = { content: [{ type: 'text', text: 'Whole answer' }], stop_reason: 'end_turn' };
const whole = { content: [{ type: 'text', text: 'Whole answer' }], stop: 'end' };

const START = {
  type: 'message_start',
  message: {
    id: 'm',
    type: 'message',
    role: 'assistant',
    model: 'fake',
    content: [],
    stop_reason: null,
    usage: { input_tokens: 10, output_tokens: 1 },
  },
};
const TEXT = { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } };
const HALF = { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Half of ' } };

function error(status: number, type: string, more: { headers?: Record<string, string>; code?: string } = {}): Answer {
  const details = more.code === undefined ? {} : { details: { error_code: more.code } };
  return {
    status,
    ...(more.headers && { headers: more.headers }),
    json: { type: 'error', error: { type, message: `told: ${type}`, ...details } },
  };
}

describe('a fault that passes', () => {
  /** What the beginning says, and an estimate of the output that had arrived. */
  const LOST = [{ input: 10, output: 4, cacheRead: 0, cacheWrite: 0 }];
  it.each<[string, Answer, object[]]>([
    ['a rate limit with a short retry-after', error(429, 'rate_limit_error', { headers: { 'retry-after-ms': '40' } }), []],
    ['an overload', error(529, 'overloaded_error'), []],
    ['a server error', error(500, 'api_error'), []],
    ['a timeout of the server', error(408, 'timeout_error'), []],
    ['a conflict', error(409, 'api_error'), []],
    ['a bad gateway with a page of HTML', { status: 502, text: '<html><title>Bad Gateway</title></html>', contentType: 'text/html' }, []],
    ['a request the server itself asks to repeat', error(400, 'invalid_request_error', { headers: { 'x-should-retry': 'true' } }), []],
    ['a dropped connection before the first event', { sse: ['CUT'] }, []],
    ['a stream that is cut', { sse: [START, TEXT, HALF, 'CUT'] }, LOST],
    ['a stream that ends cleanly without its end', { sse: [START, TEXT, HALF, { eof: true }] }, LOST],
    [
      'an error event amid a stream',
      { sse: [START, TEXT, HALF, { type: 'error', error: { type: 'overloaded_error', message: 'x' } }] },
      LOST,
    ],
    ['a stream that stalls', { sse: [START, TEXT, HALF, 'STALL'] }, LOST],
    ['a server that never answers', { hang: true }, []],
  ])('is asked again after %s', async (_, fault, expected) => {
    const { api, ask, waits } = await subject([fault, OK], { idle: 150 });
    const lost: Usage[] = [];
    expect(await ask({ onLost: async (usage) => void lost.push(usage) })).toMatchObject(whole);
    expect(lost).toEqual(expected);
    expect(api.requests).toHaveLength(2);
    expect(waits).toHaveLength(1);
  });

  it('is waited for as long as retry-after says', async () => {
    const { ask, waits, api } = await subject([error(429, 'rate_limit_error', { headers: { 'retry-after': '0.2' } }), OK]);
    await ask();
    expect(waits[0]?.milliseconds).toBe(225);
    expect((api.requests[1]?.at ?? 0) - (api.requests[0]?.at ?? 0)).toBeGreaterThan(190);
  });

  it('is waited for longer each time, with a part left to chance', async () => {
    const { ask, waits } = await subject([
      error(529, 'overloaded_error'),
      error(529, 'overloaded_error'),
      error(529, 'overloaded_error'),
      OK,
    ]);
    await ask();
    expect(waits.map(({ milliseconds }) => milliseconds)).toEqual([4, 9, 18]);
  });

  it('is asked again in one layer only, and a bounded number of times', async () => {
    const { ask, api } = await subject([error(529, 'overloaded_error')]);
    await expect(ask()).rejects.toMatchObject({
      kind: 'overload',
      exitCode: 3,
      message: expect.stringContaining('asked 4 times') as string,
    });
    expect(api.requests).toHaveLength(4);
  });

  const LONG = 'slowly '.repeat(40);
  it('is not seen in a stream that is slow but alive', async () => {
    const { ask, api } = await subject([{ content: [{ type: 'text', text: LONG }], modelTime: 900 }], { idle: 400 });
    expect(await ask()).toMatchObject({ content: [{ type: 'text', text: LONG }] });
    expect(api.requests).toHaveLength(1);
  });
});

/** Where something listened a moment ago. */
async function closedPort(): Promise<string> {
  const { api } = await subject([OK]);
  await closeAll();
  return api.url;
}

describe('a fault that stays', () => {
  it.each<[string, Answer, { type: typeof EngineError | typeof ParkedError; kind: string }]>([
    [
      'a long retry-after',
      error(429, 'rate_limit_error', { headers: { 'retry-after': '3600' } }),
      { type: ParkedError, kind: 'rate-limit' },
    ],
    [
      'a spend limit',
      error(429, 'rate_limit_error', { code: 'enforced_spend_limit_reached', headers: { 'x-should-retry': 'false' } }),
      { type: ParkedError, kind: 'spend-limit' },
    ],
    ['a bill that is not paid', error(402, 'billing_error'), { type: ParkedError, kind: 'spend-limit' }],
    [
      'a rate limit not worth repeating',
      error(429, 'rate_limit_error', { headers: { 'x-should-retry': 'false' } }),
      { type: ParkedError, kind: 'rate-limit' },
    ],
    ['a key that is refused', error(401, 'authentication_error'), { type: EngineError, kind: 'auth' }],
    ['a model that is not allowed', error(403, 'permission_error'), { type: EngineError, kind: 'auth' }],
    ['an unknown model', error(404, 'not_found_error'), { type: EngineError, kind: 'request' }],
    ['a bad request', error(400, 'invalid_request_error'), { type: EngineError, kind: 'request' }],
    [
      'an error event of authentication',
      { sse: [{ type: 'error', error: { type: 'authentication_error', message: 'x' } }] },
      { type: EngineError, kind: 'auth' },
    ],
    [
      'HTML instead of a stream',
      { status: 200, text: '<!doctype html><title>Sign in</title>', contentType: 'text/html' },
      { type: EngineError, kind: 'request' },
    ],
    [
      'JSON that is no message',
      { status: 200, json: { type: 'error', error: { type: 'permission_error', message: 'x' } } },
      { type: EngineError, kind: 'auth' },
    ],
  ])('ends with its own kind and is not asked again: %s', async (_, answer, { type, kind }) => {
    const { ask, api } = await subject([answer]);
    const thrown: unknown = await ask().catch((caught: unknown) => caught);
    expect(thrown).toBeInstanceOf(type);
    expect(thrown).toMatchObject({ kind });
    expect(api.requests).toHaveLength(1);
  });

  it('tells how long the server asks to wait', async () => {
    const { ask } = await subject([error(429, 'rate_limit_error', { headers: { 'retry-after': '3600' } })]);
    await expect(ask()).rejects.toThrow(/wait 3600 s, longer than/);
  });

  it('names the title of a page that came instead', async () => {
    const { ask } = await subject([{ status: 200, text: '<html><title>Sign in</title>', contentType: 'text/html' }]);
    await expect(ask()).rejects.toThrow(/got text\/html \("Sign in"\); is the base URL right\?/);
  });

  it('of the network ends as unreachable, with the innermost cause', async () => {
    const engine = engineAt(await closedPort());
    const asked = engine.complete(REQUEST, { signal: new AbortController().signal });
    await expect(asked).rejects.toMatchObject({ kind: 'network', exitCode: 4, message: expect.stringContaining('ECONNREFUSED') as string });
  });

  it('never tells the key, though the server repeats it', async () => {
    const { ask } = await subject([
      { status: 401, json: { type: 'error', error: { type: 'authentication_error', message: `bad key ${KEY}` } } },
    ]);
    const thrown = (await ask().catch((caught: unknown) => caught)) as Error;
    expect(`${thrown.message}${thrown.stack ?? ''}`).not.toContain(KEY);
    expect(thrown.message).toContain('[redacted]');
  });
});

describe('a context that is too large', () => {
  it.each<[string, Answer]>([
    ['status 413', error(413, 'request_too_large')],
    ['an error code', error(400, 'invalid_request_error', { code: 'prompt_too_long' })],
    [
      'the type of another server',
      { status: 400, json: { error: { code: 400, type: 'exceed_context_size_error', message: 'n_prompt > n_ctx' } } },
    ],
    ['a stop reason', { content: [{ type: 'text', text: 'x' }], stop_reason: 'model_context_window_exceeded' }],
  ])('is a reply of its own kind, told by %s', async (_, answer) => {
    const { ask, api } = await subject([answer]);
    expect(await ask()).toMatchObject({ stop: 'context-overflow' });
    expect(api.requests).toHaveLength(1);
  });
});

describe('an abort', () => {
  it.each<[string, Answer]>([
    ['in a wait', error(529, 'overloaded_error', { headers: { 'retry-after-ms': '390' } })],
    ['before the headers', { hang: true }],
    ['in a stream', { sse: [START, TEXT, HALF, 'STALL'] }],
  ])('is obeyed at once %s, with its reason', async (_, answer) => {
    const { ask, api } = await subject([answer]);
    const controller = new AbortController();
    const reason = new Error('stop');
    const asked = ask({ signal: controller.signal });
    setTimeout(() => controller.abort(reason), 60);
    const startedAt = performance.now();
    await expect(asked).rejects.toBe(reason);
    expect(performance.now() - startedAt).toBeLessThan(300);
    expect(api.requests).toHaveLength(1);
  });
});
