import { afterEach, describe, expect, it } from 'vitest';
import type { Answer } from '../../fakes/messages-api.mjs';
import { closeAll, REQUEST, subject } from './subject.ts';

afterEach(closeAll);

const START = {
  type: 'message_start',
  message: { id: 'm', type: 'message', role: 'assistant', model: 'fake', content: [], usage: { input_tokens: 10, output_tokens: 1 } },
};

/** A stream with one tool call whose input is this text. */
function callWith(json: string, stop = 'tool_use'): Answer {
  return {
    sse: [
      START,
      { type: 'content_block_start', index: 0, content_block: { type: 'tool_use', id: 'toolu_1', name: 'write_file', input: {} } },
      ...json.match(/[^]{1,7}/g)!.map((piece) => ({
        type: 'content_block_delta',
        index: 0,
        delta: { type: 'input_json_delta', partial_json: piece },
      })),
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason: stop }, usage: { output_tokens: 40 } },
      { type: 'message_stop' },
    ],
  };
}

describe('the input of a call', () => {
  it.each([
    ['{"path": "a.md", "n": 1}', { path: 'a.md', n: 1 }],
    ['{"path": "a.md", /* why */ "list": [1, 2,],}', { path: 'a.md', list: [1, 2] }],
  ])('is read from %s', async (json, input) => {
    const { ask } = await subject([callWith(json)]);
    const { content, stop } = await ask();
    expect(content).toEqual([{ type: 'tool-call', id: 'toolu_1', name: 'write_file', input }]);
    expect(stop).toBe('tool-calls');
  });

  it.each([
    ['{"city": Paris}', /line 1, column 10/],
    [String.raw`{"a": "\d"}`, /escape/],
    ["{'a': 1}", /double quotes/],
    ['{"a": NaN}', /column 7/],
    ['{"a": 1, "a": 2}', /once/],
    ['{"path": "a.md", "content": "# Sto', /closing/],
    ['[1, 2]', /JSON object/],
  ])('is refused, and not thrown: %s', async (json, message) => {
    const { ask } = await subject([callWith(json)]);
    const { content } = await ask();
    expect(content).toHaveLength(1);
    expect(content[0]).toMatchObject({ type: 'tool-call', fault: expect.stringMatching(message) as string });
  });

  it('that is empty is an empty object', async () => {
    const { ask } = await subject([{ content: [{ type: 'tool_use', id: 'a', name: 'list_files', input: {} }] }]);
    expect((await ask()).content).toEqual([{ type: 'tool-call', id: 'a', name: 'list_files', input: {} }]);
  });
});

describe('how a reply ended', () => {
  const TOOL = { type: 'tool_use', id: 'toolu_1', name: 'write_file', input: { path: 'a.md' } };

  it.each<[string, Answer, object]>([
    ['at the output limit', { content: [TOOL], stop_reason: 'max_tokens' }, { stop: 'truncated' }],
    ['at the output limit within a call', callWith('{"path": "a.md", "content": "# Sto', 'max_tokens'), { stop: 'truncated' }],
    [
      'with a refusal without content',
      { content: [], stop_reason: 'refusal', stop_details: { type: 'refusal', category: 'cyber' } },
      { stop: 'refusal', content: [], detail: 'cyber' },
    ],
    ['with a stop reason of tomorrow', { content: [{ type: 'text', text: 'x' }], stop_reason: 'nap' }, { stop: 'end', detail: 'nap' }],
    ['with nothing said', { content: [], stop_reason: 'end_turn' }, { stop: 'end', content: [] }],
  ])('is told: %s', async (_, answer, expected) => {
    const { ask } = await subject([answer]);
    expect(await ask()).toMatchObject(expected);
  });

  it.each(['end_turn', 'nap'])('keeps calls from being run unless it is tool_use: %s', async (stop_reason) => {
    const { ask } = await subject([{ content: [TOOL], stop_reason }]);
    expect((await ask()).content).toMatchObject([{ type: 'tool-call', fault: expect.stringContaining(stop_reason) as string }]);
  });

  it('survives a block that ends without having begun', async () => {
    const { ask } = await subject([
      {
        sse: [
          START,
          { type: 'content_block_stop', index: 0 },
          { type: 'content_block_delta', index: 3, delta: { type: 'text_delta', text: 'x' } },
          { type: 'message_delta', delta: { stop_reason: 'refusal' }, usage: { output_tokens: 0 } },
          { type: 'message_stop' },
        ],
      },
    ]);
    expect(await ask()).toMatchObject({ stop: 'refusal', content: [] });
  });
});

describe('what is unknown', () => {
  it('in a stream changes nothing: events, deltas and fields', async () => {
    const { ask } = await subject([
      {
        sse: [
          { type: 'weather', sunny: true },
          START,
          { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '', mood: 'fine' } },
          { type: 'content_block_delta', index: 0, delta: { type: 'mood_delta', mood: 'better' } },
          { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'hello' } },
          { type: 'content_block_stop', index: 0 },
          { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 5 } },
          { type: 'message_stop' },
        ],
      },
    ]);
    expect(await ask()).toEqual({
      content: [{ type: 'text', text: 'hello' }],
      stop: 'end',
      usage: { input: 10, output: 5, cacheRead: 0, cacheWrite: 0 },
    });
  });

  it('as a kind of block goes back as it came', async () => {
    const { ask } = await subject([
      {
        content: [
          { type: 'hologram', data: 'x' },
          { type: 'text', text: 'hi' },
        ],
        stop_reason: 'end_turn',
      },
    ]);
    expect((await ask()).content[0]).toMatchObject({ type: 'opaque', data: { type: 'hologram', data: 'x' } });
  });

  it('as thinking goes back byte for byte, where the server checks it', async () => {
    const { ask, api } = await subject([
      {
        content: [
          { type: 'thinking', thinking: 'Hm: “ä” \n', signature: 'sig==' },
          { type: 'text', text: 'x' },
        ],
        stop_reason: 'end_turn',
      },
      { content: [{ type: 'text', text: 'y' }], stop_reason: 'end_turn' },
    ]);
    const { content } = await ask();
    const messages = [
      ...REQUEST.messages,
      { role: 'assistant' as const, content },
      { role: 'user' as const, content: [{ type: 'text' as const, text: 'go on' }] },
    ];
    expect(await ask({}, { ...REQUEST, messages })).toMatchObject({ content: [{ type: 'text', text: 'y' }] });
    expect(api.requests).toHaveLength(2);
  });
});

describe('a server that does less', () => {
  it('may answer in one piece of JSON', async () => {
    const { ask } = await subject([
      {
        asJson: true,
        json: {
          type: 'message',
          content: [{ type: 'text', text: 'x' }],
          stop_reason: 'end_turn',
          usage: { input_tokens: 3, output_tokens: 2 },
        },
      },
    ]);
    expect(await ask()).toMatchObject({ content: [{ type: 'text', text: 'x' }], usage: { input: 3, output: 2 } });
  });

  it('may count its call ids from zero in every reply: each is made unique', async () => {
    const { ask } = await subject([
      {
        content: [
          { type: 'tool_use', id: 'call_0', name: 'write_file', input: {} },
          { type: 'tool_use', id: 'call_0', name: 'write_file', input: {} },
        ],
      },
    ]);
    const earlier = { role: 'assistant' as const, content: [{ type: 'tool-call' as const, id: 'call_0', name: 'write_file', input: {} }] };
    const results = { role: 'user' as const, content: [{ type: 'tool-result' as const, id: 'call_0', text: 'ok', isError: false }] };
    const { content } = await ask({}, { ...REQUEST, messages: [...REQUEST.messages, earlier, results] });
    expect(content.map((block) => (block.type === 'tool-call' ? block.id : ''))).toEqual(['call_0_2', 'call_0_3']);
  });
});

describe('progress', () => {
  it('tells what is arriving, and how much of it', async () => {
    const { ask } = await subject([
      {
        content: [
          { type: 'thinking', thinking: 'abc', signature: 's' },
          { type: 'text', text: 'hello' },
          { type: 'tool_use', id: 'a', name: 'write_file', input: { path: 'x' } },
        ],
      },
    ]);
    const seen: string[] = [];
    await ask({ onProgress: ({ kind, tool, characters }) => seen.push(`${kind}${tool ?? ''}:${characters}`) });
    expect(seen).toContain('thinking:3');
    expect(seen).toContain('text:5');
    expect(seen.some((one) => /^tool-callwrite_file:[1-9]/.test(one))).toBe(true);
  });
});
