import { describe, expect, it } from 'vitest';
import { ask, postJson, result, start } from './ask.ts';
import { answerFromTranscript } from './replies.mjs';

const RETRY = '\n## Why the last attempt failed\n';
const about = (text: string) => ({ ...ask, messages: [{ role: 'user', content: `Before.\n${text}` }] });

describe('a transcript', () => {
  const answer = answerFromTranscript([
    {
      stage: 'plan',
      turn: 1,
      say: 'Reading.',
      calls: [
        { tool: 'read', input: { path: 'a' } },
        { id: 'mine', tool: 'list', input: {} },
      ],
    },
    { stage: 'plan', turn: 2, say: 'Done.', usage: { input_tokens: 5, output_tokens: 6 } },
    { stage: 'plan', attempt: 2, turn: 1, say: 'Cut', stop: 'truncated' },
    { stage: 'tests', turn: 1, say: 'No.', stop: 'refusal' },
  ]);
  it('is answered from by stage and turn, over the wire', async () => {
    const api = await start(answer);
    const body = about('# Stage plan: a plan');
    const first = (await postJson(api, body)).json;
    expect(first).toMatchObject({
      content: [
        { type: 'text', text: 'Reading.' },
        { type: 'tool_use', id: 'toolu_plan_1_1_1', name: 'read', input: { path: 'a' } },
        { type: 'tool_use', id: 'mine', name: 'list', input: {} },
      ],
      stop_reason: 'tool_use',
    });
    const results = ['toolu_plan_1_1_1', 'mine'].map((id) => ({ ...result, tool_use_id: id }));
    const messages = [...body.messages, { role: 'assistant', content: first['content'] }, { role: 'user', content: results }];
    const second = (await postJson(api, { ...body, messages })).json;
    expect(second).toMatchObject({
      content: [{ text: 'Done.' }],
      stop_reason: 'end_turn',
      usage: { input_tokens: 5, output_tokens: 6 },
    });
    expect([api.refusals, api.failures]).toEqual([[], []]);
  });

  it('is in its second attempt when the prompt tells why the first one failed and there is one', () => {
    expect(answer(about(`# Stage plan: a plan${RETRY}`))).toMatchObject({ content: [{ text: 'Cut' }], stop_reason: 'max_tokens' });
    expect(answer(about(`# Stage tests: tests${RETRY}`))).toMatchObject({ content: [{ text: 'No.' }], stop_reason: 'refusal' });
  });

  it('finds the stage in text blocks too', () => {
    const content = [
      { type: 'text', text: 'x' },
      { type: 'text', text: '# Stage tests: tests' },
    ];
    expect(answer({ ...ask, messages: [{ role: 'user', content }] })).toMatchObject({ content: [{ text: 'No.' }] });
  });

  it('names stage, attempt and turn when it has no reply', () => {
    const body = about(`# Stage plan: a plan${RETRY}`);
    body.messages.push({ role: 'assistant', content: 'Cut' }, { role: 'user', content: 'Go on.' });
    expect(() => answer(body)).toThrow('stage plan, attempt 2, turn 2');
    expect(() => answer(ask)).toThrow('stage (none named), attempt 1, turn 1');
  });
});
