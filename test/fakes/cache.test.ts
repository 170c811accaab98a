import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { ask, ephemeral, hello, marked, post, postJson, readEvents, start, tool } from './ask.ts';
import type { Body } from './ask.ts';
import type { MessagesApi, MessagesApiOptions } from './messages-api.mjs';

const long = (letter: string) => letter.repeat(400);
const system = [marked(long('s'))];
const usageOf = async (api: MessagesApi, body: Body) => {
  const { usage } = (await postJson(api, { ...ask, ...body })).json as { usage: Body };
  const { input_tokens: input, cache_creation_input_tokens: written, cache_read_input_tokens: read } = usage;
  return { input, written, read };
};
const user = (...texts: (string | Body)[]) => ({
  messages: [{ role: 'user', content: texts.map((text) => (typeof text === 'string' ? { type: 'text', text } : text)) }],
});
const withCache = (cache: MessagesApiOptions['cache'] = { minimum: 50 }) => start({ ...hello, usage: { input_tokens: 1 } }, { cache });

describe('the prompt cache', () => {
  it('is written by the first request and read by the second one with the same prefix', async () => {
    const api = await withCache();
    const first = await usageOf(api, { system, ...user('one') });
    const second = await usageOf(api, { system, ...user('two!') });
    expect(first.read).toBe(0);
    expect(first.written).toBeGreaterThan(100);
    expect(second).toMatchObject({ written: 0, read: first.written });
    expect(second.input).toBeGreaterThan(0);
    expect(second.input).toBeLessThan(20);
  });

  it('tells the same in a stream', async () => {
    const api = await withCache();
    const { written } = await usageOf(api, { system });
    const { events } = await readEvents(await post(api, { ...ask, system, stream: true }));
    expect(events[0]?.['message'].usage).toMatchObject({ cache_read_input_tokens: written, cache_creation_input_tokens: 0 });
  });

  it('writes only what comes after what it reads', async () => {
    const api = await withCache();
    const first = await usageOf(api, { system, ...user(long('a')) });
    const second = await usageOf(api, { system, ...user(long('a'), marked(long('b'))) });
    const third = await usageOf(api, { system, ...user(long('a'), long('b'), marked(long('c'))) });
    expect(second.read).toBe(first.written);
    expect(second.written).toBeGreaterThan(200);
    expect(third.read).toBe(second.read + second.written);
  });

  it('misses when one character before the breakpoint differs, or the model', async () => {
    const api = await withCache();
    await usageOf(api, { system });
    expect((await usageOf(api, { system: [marked(`${long('s')}.`)] })).read).toBe(0);
    expect((await usageOf(api, { system, tools: [tool] })).read).toBe(0);
    expect((await usageOf(api, { system, model: 'other' })).read).toBe(0);
  });

  it('finds an entry at a block that is no breakpoint any more, up to 20 blocks back', async () => {
    const api = await withCache();
    const { written } = await usageOf(api, user(marked(long('a'))));
    const later = (count: number) => usageOf(api, user(long('a'), ...Array.from({ length: count - 1 }, (_, n) => `${n}`), marked('end')));
    expect((await later(21)).read).toBe(0);
    expect((await later(20)).read).toBe(written);
  });

  it('takes the last block for a breakpoint that stands at the top', async () => {
    const api = await withCache();
    const first = await usageOf(api, { ...user(long('a')), cache_control: ephemeral });
    expect(first).toMatchObject({ input: 0, read: 0 });
    expect((await usageOf(api, user(long('a'), marked('b')))).read).toBe(first.written);
  });

  it('keeps nothing shorter than its minimum', async () => {
    const api = await withCache({ minimum: 500 });
    const first = await usageOf(api, { system });
    expect(first).toMatchObject({ written: 0, read: 0 });
    expect(await usageOf(api, { system })).toEqual(first);
  });

  it('counts tokens by their characters', async () => {
    const sizes = await Promise.all(
      [1, 4].map(async (charactersPerToken) => usageOf(await withCache({ minimum: 1, charactersPerToken }), { system })),
    );
    expect((sizes[0]?.written ?? 0) / (sizes[1]?.written ?? 1)).toBeCloseTo(4, 1);
  });

  it('forgets after its time, counted from the last use', async () => {
    const api = await withCache({ minimum: 50, ttl: 600 });
    await usageOf(api, { system });
    await sleep(350);
    expect((await usageOf(api, { system })).read).toBeGreaterThan(0);
    await sleep(350);
    expect((await usageOf(api, { system })).read).toBeGreaterThan(0);
    await sleep(700);
    expect((await usageOf(api, { system })).read).toBe(0);
  });

  it('learns nothing from a request that fails', async () => {
    const api = await start((_body, index) => (index === 0 ? { status: 529, json: {} } : hello), { cache: { minimum: 50 } });
    await postJson(api, { ...ask, system });
    expect((await usageOf(api, { system })).read).toBe(0);
  });

  it('is absent unless asked for', async () => {
    const api = await start();
    await usageOf(api, { system });
    expect(await usageOf(api, { system })).toMatchObject({ written: 0, read: 0 });
  });
});
