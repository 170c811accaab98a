import { describe, expect, it } from 'vitest';
import { ask, call, ephemeral, followedBy, hello, marked, postJson, result, start, tool } from './ask.ts';
import type { Body } from './ask.ts';
import type { Profile } from './messages-api.mjs';

const withTool = (change: Body, top: Body = {}) => ({ ...ask, tools: [{ ...tool, ...change }], ...top });
const schema = (properties: Body) => ({ input_schema: { type: 'object', properties } });

const GOOD: [title: string, body: unknown, profile?: Profile][] = [
  ['the least body', ask],
  ['a conversation with a call and its result', followedBy(['assistant', [call]], ['user', [result, { type: 'text', text: 'Go on.' }]])],
  [
    'two calls, answered in another order',
    followedBy(
      ['assistant', [call, { ...call, id: 'b' }]],
      [
        'user',
        [
          { ...result, tool_use_id: 'b' },
          { ...result, content: [{ type: 'text', text: 'x' }], is_error: true },
        ],
      ],
    ),
  ],
  [
    'every option',
    {
      ...withTool({ cache_control: ephemeral }),
      system: [marked('You are.')],
      tool_choice: { type: 'auto', disable_parallel_tool_use: true },
      thinking: { type: 'adaptive', display: 'summarized' },
      output_config: { effort: 'high', format: { type: 'json_schema', schema: {} } },
      cache_control: { type: 'ephemeral', ttl: '1h' },
      metadata: { user_id: 'u' },
      stop_sequences: ['x'],
      service_tier: 'auto',
    },
  ],
  ['thinking between tools', { ...ask, thinking: { type: 'between_tools' } }],
  ['a whole surrogate pair as escapes', JSON.stringify(ask).replace('Hi.', '\\ud83d\\ude00')],
  ['a property named cache_control', withTool(schema({ cache_control: { type: 'string' } })), 'ollama'],
  ['system blocks', { ...ask, system: [{ type: 'text', text: 'You are.' }] }, 'ollama'],
  ['an automatic choice', withTool({}, { tool_choice: { type: 'auto' } }), 'llama.cpp'],
  [
    'a property named $ref and a plain pattern',
    withTool(schema({ $ref: { type: 'string', pattern: '^a+$', enum: [{ $ref: 1 }] } })),
    'llama.cpp',
  ],
];

// Each rule with one body that breaks it and what the refusal must name.
const BAD: [title: string, place: RegExp, body: unknown, profile?: Profile, headers?: Record<string, string>][] = [
  ['no JSON', /not valid JSON/, '{"model":'],
  ['no object', /not valid JSON/, '[]'],
  ['no model', /^model/, { ...ask, model: undefined }],
  ['an empty model', /^model/, { ...ask, model: '' }],
  ['max_tokens of nothing', /^max_tokens/, { ...ask, max_tokens: 0 }],
  ['max_tokens with a fraction', /^max_tokens/, { ...ask, max_tokens: 1.5 }],
  ['max_tokens as text', /^max_tokens/, { ...ask, max_tokens: '10' }],
  ['no messages', /^messages: at least one/, { ...ask, messages: [] }],
  ['messages that are no list', /^messages: at least one/, { ...ask, messages: { role: 'user', content: 'x' } }],
  ['a first message of the assistant', /^messages: first/, { ...ask, messages: [{ role: 'assistant', content: 'x' }] }],
  ['a role of its own', /^messages\.0\.role/, { ...ask, messages: [{ role: 'system', content: 'x' }] }],
  ['two user messages in a row', /^messages\.1: roles must alternate/, followedBy(['user', 'x'])],
  ['two assistant messages in a row', /^messages\.2: roles must alternate/, followedBy(['assistant', 'x'], ['assistant', 'y'])],
  ['a prefill', /prefill/, followedBy(['assistant', 'x'])],
  ['an unknown field of a message', /^messages\.0\.name: Extra/, { ...ask, messages: [{ role: 'user', content: 'x', name: 'y' }] }],
  ['empty content', /^messages\.2\.content: text content blocks must be non-empty/, followedBy(['assistant', 'x'], ['user', ''])],
  ['content without blocks', /^messages\.2\.content: all messages/, followedBy(['assistant', 'x'], ['user', []])],
  ['content that is a number', /^messages\.2\.content: Input/, followedBy(['assistant', 'x'], ['user', 5])],
  ['a block without a type', /^messages\.2\.content\.0: Input/, followedBy(['assistant', 'x'], ['user', [{ text: 'x' }]])],
  ['an empty text block', /^messages\.1\.content\.0: .*non-empty/, followedBy(['assistant', [{ type: 'text', text: '' }]], ['user', 'x'])],
  [
    'a text block of whitespace',
    /^messages\.1\.content\.0: .*non-whitespace/,
    followedBy(['assistant', [{ type: 'text', text: ' \n' }]], ['user', 'x']),
  ],
  [
    'an unknown field of a block',
    /^messages\.1\.content\.0\.parsed: Extra/,
    followedBy(['assistant', [{ type: 'text', text: 'x', parsed: 1 }]], ['user', 'x']),
  ],
  ['a call without an id', /^messages\.1\.content\.0\.tool_use\.id/, followedBy(['assistant', [{ ...call, id: '' }]], ['user', [result]])],
  ['a call without a name', /tool_use\.name/, followedBy(['assistant', [{ ...call, name: undefined }]], ['user', [result]])],
  ['a call with input as text', /tool_use\.input/, followedBy(['assistant', [{ ...call, input: '{}' }]], ['user', [result]])],
  ['a call with a list as input', /tool_use\.input/, followedBy(['assistant', [{ ...call, input: [] }]], ['user', [result]])],
  ['a call of the user', /^messages\.0\.content\.0: `tool_use`/, { ...ask, messages: [{ role: 'user', content: [call] }] }],
  ['a result of the assistant', /^messages\.1\.content\.0: `tool_result`/, followedBy(['assistant', [result]], ['user', 'x'])],
  ['two calls of one id in one message', /ids must be unique: a/, followedBy(['assistant', [call, call]], ['user', [result]])],
  [
    'two calls of one id in two messages',
    /^messages\.3: .*unique: a/,
    followedBy(['assistant', [call]], ['user', [result]], ['assistant', [call]], ['user', [result]]),
  ],
  ['a call without a result', /^messages\.1: .*immediately after: a/, followedBy(['assistant', [call]], ['user', 'x'])],
  [
    'a call with a late result',
    /^messages\.1: .*immediately after: a/,
    followedBy(['assistant', [call]], ['user', 'x'], ['assistant', 'y'], ['user', [result]]),
  ],
  [
    'a call with two results',
    /^messages\.2\.content\.1: each tool_use must have a single result/,
    followedBy(['assistant', [call]], ['user', [result, result]]),
  ],
  [
    'a result after text',
    /^messages\.2\.content\.1: .*come first/,
    followedBy(['assistant', [call]], ['user', [{ type: 'text', text: 'x' }, result]]),
  ],
  [
    'a result of no call',
    /^messages\.0\.content\.0: unexpected `tool_use_id`.*: a/,
    { ...ask, messages: [{ role: 'user', content: [result] }] },
  ],
  ['an error without content', /is_error/, followedBy(['assistant', [call]], ['user', [{ ...result, content: '', is_error: true }]])],
  [
    'an empty text in a result',
    /tool_result\.content\.0/,
    followedBy(['assistant', [call]], ['user', [{ ...result, content: [{ type: 'text', text: '' }] }]]),
  ],
  ['a call within a result', /tool_result\.content\.0/, followedBy(['assistant', [call]], ['user', [{ ...result, content: [call] }]])],
  ['a block that was never sent', /server_tool_use/, followedBy(['assistant', [{ type: 'server_tool_use', id: 'x' }]], ['user', 'x'])],
  ['two tools of one name', /^tools: .*unique: read/, { ...ask, tools: [tool, tool] }],
  ['a tool with a dot in its name', /^tools\.0\.name/, withTool({ name: 'a.b' })],
  ['a tool with too long a name', /^tools\.0\.name/, withTool({ name: 'a'.repeat(129) })],
  ['a tool without a description', /^tools\.0\.description/, withTool({ description: undefined })],
  ['a tool without a schema', /^tools\.0\.input_schema/, withTool({ input_schema: undefined })],
  ['a tool with a schema of a list', /^tools\.0\.input_schema\.type/, withTool({ input_schema: { type: 'array' } })],
  ['a tool with a union at the top', /oneOf/, withTool({ input_schema: { type: 'object', oneOf: [] } })],
  ['a tool with a property with a blank', /Property keys/, withTool(schema({ 'a b': {} }))],
  ['an unknown field of a tool', /^tools\.0\.parameters: Extra/, withTool({ parameters: {} })],
  ['a system that is an object', /^system/, { ...ask, system: { text: 'x' } }],
  ['a system of images', /^system\.0/, { ...ask, system: [{ type: 'image', source: {} }] }],
  ['an empty system block', /^system\.0: .*non-empty/, { ...ask, system: [{ type: 'text', text: '' }] }],
  [
    'five breakpoints in all',
    /maximum of 4 .*Found 5/,
    {
      ...withTool({ cache_control: ephemeral }),
      system: [marked('x'), marked('y')],
      messages: [{ role: 'user', content: [marked('z')] }],
      cache_control: ephemeral,
    },
  ],
  ['a breakpoint of another type', /^cache_control\.type/, { ...ask, cache_control: { type: 'forever' } }],
  ['a breakpoint of another ttl', /^cache_control\.ttl/, { ...ask, cache_control: { type: 'ephemeral', ttl: '2h' } }],
  ['a lone surrogate as an escape', /no low surrogate.*messages\.0\.content/, JSON.stringify(ask).replace('Hi.', '\\ud83d')],
  ['a lone surrogate in a key', /no low surrogate.*key/, JSON.stringify({ ...ask, metadata: { k: 1 } }).replace('"k"', '"\\udc00"')],
  ['an unknown field', /^top_logprobs: Extra/, { ...ask, top_logprobs: 1 }],
  ['temperature', /^temperature/, { ...ask, temperature: 0 }],
  ['top_p', /^top_p/, { ...ask, top_p: 1 }],
  ['top_k', /^top_k/, { ...ask, top_k: 1 }],
  ['a forced choice of any tool', /forced tool_choice/, withTool({}, { tool_choice: { type: 'any' } })],
  ['a forced choice of one tool', /forced tool_choice/, withTool({}, { tool_choice: { type: 'tool', name: 'read' } })],
  ['an unknown choice', /^tool_choice/, withTool({}, { tool_choice: 'auto' })],
  ['a choice among no tools', /^tool_choice/, { ...ask, tool_choice: { type: 'auto' } }],
  ['thinking with a budget', /^thinking/, { ...ask, thinking: { type: 'enabled', budget_tokens: 1024 } }],
  ['adaptive thinking with a budget', /^thinking\.budget_tokens/, { ...ask, thinking: { type: 'adaptive', budget_tokens: 1024 } }],
  ['an unknown display', /^thinking\.display/, { ...ask, thinking: { type: 'adaptive', display: 'full' } }],
  ['an unknown output option', /^output_config\.tone/, { ...ask, output_config: { tone: 'x' } }],
  ['an unknown effort', /^output_config\.effort/, { ...ask, output_config: { effort: 'huge' } }],
  ['a format without a schema', /^output_config\.format/, { ...ask, output_config: { format: { type: 'json_schema' } } }],
  ['unknown metadata', /^metadata\.run/, { ...ask, metadata: { run: 'x' } }],
  ['a stream as text', /^stream/, { ...ask, stream: 'yes' }],
  ['a stop sequence that is no list', /^stop_sequences/, { ...ask, stop_sequences: 'x' }],
  ['an unknown service tier', /^service_tier/, { ...ask, service_tier: 'gold' }],
  ['a choice', /^tool_choice/, withTool({}, { tool_choice: { type: 'auto' } }), 'ollama'],
  ['metadata', /^metadata/, { ...ask, metadata: { user_id: 'u' } }, 'ollama'],
  ['output_config', /^output_config/, { ...ask, output_config: { effort: 'low' } }, 'ollama'],
  ['thinking', /^thinking/, { ...ask, thinking: { type: 'adaptive' } }, 'ollama'],
  ['a breakpoint at the top', /^cache_control/, { ...ask, cache_control: ephemeral }, 'ollama'],
  ['a breakpoint in system', /^cache_control/, { ...ask, system: [marked('x')] }, 'ollama'],
  ['a breakpoint at a tool', /^cache_control/, withTool({ cache_control: ephemeral }), 'ollama'],
  ['a breakpoint in a message', /^cache_control/, { ...ask, messages: [{ role: 'user', content: [marked('x')] }] }, 'ollama'],
  [
    'a breakpoint within a result',
    /^cache_control/,
    followedBy(['assistant', [call]], ['user', [{ ...result, content: [marked('x')] }]]),
    'ollama',
  ],
  ['a beta', /^anthropic-beta/, ask, 'ollama', { 'anthropic-beta': 'x' }],
  ['a beta', /^anthropic-beta/, ask, 'llama.cpp', { 'anthropic-beta': 'x' }],
  ['thinking', /^thinking/, { ...ask, thinking: { type: 'adaptive' } }, 'llama.cpp'],
  ['a choice of none', /^tool_choice/, withTool({}, { tool_choice: { type: 'none' } }), 'llama.cpp'],
  ['a breakpoint', /^cache_control/, { ...ask, system: [marked('x')] }, 'llama.cpp'],
  ['$schema', /\$schema/, withTool({ input_schema: { type: 'object', $schema: 'x' } }), 'llama.cpp'],
  ['$ref', /properties\.a\.items\.\$ref/, withTool(schema({ a: { type: 'array', items: { $ref: '#/x' } } })), 'llama.cpp'],
  ['patternProperties', /patternProperties/, withTool(schema({ a: { patternProperties: {} } })), 'llama.cpp'],
  ['a lookahead', /anyOf\.0\.pattern/, withTool(schema({ a: { anyOf: [{ pattern: '^(?!x)' }] } })), 'llama.cpp'],
];

describe('a request is', () => {
  it.each(GOOD)('answered with %s', async (_title, body, profile = 'anthropic') => {
    const api = await start(hello, { profile });
    await postJson(api, body);
    expect([api.refusals, api.failures]).toEqual([[], []]);
  });

  it.each(BAD)('refused for %s (%s)', async (_title, place, body, profile = 'anthropic', headers = {}) => {
    let asked = 0;
    const api = await start(
      () => {
        asked += 1;
        return hello;
      },
      { profile },
    );
    const { status, json } = await postJson(api, body, headers);
    expect([status, json['error'].type, asked]).toEqual([400, 'invalid_request_error', 0]);
    expect(json['error'].message).toMatch(place);
    expect(api.refusals).toEqual([json['error'].message]);
  });

  it('refused for bytes that are no UTF-8', async () => {
    const api = await start();
    const bytes = Buffer.from(JSON.stringify(ask));
    bytes[bytes.indexOf('H')] = 0xff;
    const response = await fetch(`${api.url}/v1/messages`, { method: 'POST', headers: { 'anthropic-version': 'x' }, body: bytes });
    expect(response.status).toBe(400);
  });

  it('refused without a version, which only the real one wants', async () => {
    expect([await statusWithoutVersion('anthropic'), await statusWithoutVersion('ollama')]).toEqual([400, 200]);
  });
});

async function statusWithoutVersion(profile: Profile): Promise<number> {
  const api = await start(hello, { profile });
  return (await fetch(`${api.url}/v1/messages`, { method: 'POST', body: JSON.stringify(ask) })).status;
}
