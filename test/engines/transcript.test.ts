import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createTranscriptEngine, parseTranscript } from '../../src/engines/transcript/transcript.ts';
import type { TurnRequest } from '../../src/model/engine.ts';
import { describeProviderContract } from './contract.ts';

const TEXT = `
- stage: spec
  turn: 1
  say: Hello
  calls:
    - { tool: read_file, input: { path: a } }
    - { tool: read_file, input: { path: b } }
- stage: spec
  attempt: 2
  turn: 1
  expect: [needle]
  say: Only when it is there
- stage: spec
  turn: 2
  delay: 30000
`;

const request = (attempt: number, turn: number, task = 'A task'): TurnRequest => ({
  key: { step: 'spec', attempt, turn },
  system: ['s'],
  messages: [{ role: 'user', content: [{ type: 'text', text: task }] }],
  tools: [],
});
const wait = (milliseconds: number, signal: AbortSignal): Promise<void> =>
  sleep(milliseconds, undefined, { signal }).catch(() => signal.throwIfAborted());
const make = () => createTranscriptEngine({ name: 'transcript:t.yaml', file: 't.yaml', entries: parseTranscript(TEXT, 't.yaml'), wait });

describeProviderContract('the transcript', async () => ({
  provider: make(),
  request: request(1, 1),
  impossible: request(7, 1),
  slow: request(1, 2),
}));

describe('the transcript', () => {
  const context = { signal: new AbortController().signal };

  it('names the key, the last message and what it has when a reply is missing', async () => {
    await expect(make().complete(request(3, 4, 'the last words'), context)).rejects.toThrow(/spec\.3 turn 4.*the last words/s);
    await expect(make().complete(request(3, 4), context)).rejects.toMatchObject({
      hint: expect.stringContaining('spec.2 turn 1') as string,
    });
  });

  it('demands the text a recording expects of the prompt', async () => {
    await expect(make().complete(request(2, 1, 'hay'), context)).rejects.toThrow(/needle/);
    await expect(make().complete(request(2, 1, 'hay with a needle'), context)).resolves.toMatchObject({ stop: 'end' });
  });

  it.each([
    ['- stage: spec\n  turn: [', /t\.yaml:2:\d+/],
    ['stage: spec', /t\.yaml/],
    ['- { stage: spec, turn: 1, stopp: end }', /t\.yaml/],
  ])('that is broken (%j) is refused with its place', (text, place) => {
    expect(() => parseTranscript(text, 't.yaml')).toThrow(
      expect.objectContaining({ place: expect.stringMatching(place) as string, exitCode: 2 }) as Error,
    );
  });
});
