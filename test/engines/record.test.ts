import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isTranscript, serialiseTranscript, toEntries } from '../../src/engines/transcript/record.ts';
import { createTranscriptEngine, parseTranscript, type TranscriptEntry } from '../../src/engines/transcript/transcript.ts';
import type { RecordedTurn, Reply } from '../../src/model/engine.ts';
import { hostileText, plainText } from '../text/hostile-text.ts';

const ODD = [
  'a: b',
  '# no comment',
  'x #y',
  '🚀 launch',
  'trailing blanks   ',
  'trailing \nblanks  \n',
  'ends with blanks\n   ',
  'one\r\ntwo\r\n',
  'lone\rreturn',
  '---',
  '---\na: 1\n---\n',
  '...\n',
  '\tindented',
  'a\n\tb\tc\n',
  '    leading spaces\nthen none',
  '\n\n  leading lines',
  'line '.repeat(400),
  `${'line '.repeat(400)}\nnext`,
  'line\u2028separator\nand\u2029another',
  '\u0085\u009f\u007f',
  '\u0001\u0007\u001b[31mred\u001b[0m\n',
  '\ufeffmark\n',
  'half \ud83d of one',
  '',
  ' ',
  '\n',
  '\n\n\n',
  '- item',
  '? key',
  '| literal',
  '> folded',
  '&a *b !c',
  '<<',
  '{{x}}',
  "'quoted'",
  '"quoted"\n"twice"',
  'null',
  'true',
  '1e3',
  '0x10',
  '2001-01-01',
  '%YAML 1.2',
  '@at `tick`',
];

const text = fc.oneof(
  fc.constantFrom(...ODD),
  fc.array(fc.constantFrom(...ODD), { minLength: 2, maxLength: 4 }).map((parts) => parts.join('\n')),
  hostileText.map((one) => one.replaceAll('\0', '')),
  plainText,
);
const value = fc.letrec((tie) => ({
  tree: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    text,
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('tree'), { maxLength: 3 }),
    fc.dictionary(text, tie('tree'), { maxKeys: 3, noNullPrototype: true }),
  ),
})).tree;
const count = fc.nat(1_000_000);
const entry: fc.Arbitrary<TranscriptEntry> = fc.record(
  {
    stage: text,
    attempt: fc.integer({ min: 1, max: 9 }),
    turn: fc.integer({ min: 1, max: 99 }),
    expect: fc.constant([]),
    delay: fc.constant(0),
    calls: fc.array(
      fc.record({ tool: text, input: value, id: text, fault: text }, { requiredKeys: ['tool', 'input', 'id'], noNullPrototype: true }),
      {
        maxLength: 3,
      },
    ),
    say: text,
    stop: fc.constantFrom('end', 'tool-calls', 'truncated', 'refusal', 'context-overflow'),
    detail: text,
    usage: fc.record({ input: count, output: count, cacheRead: count, cacheWrite: count }, { noNullPrototype: true }),
  },
  { requiredKeys: ['stage', 'attempt', 'turn', 'expect', 'delay', 'calls'], noNullPrototype: true },
) as fc.Arbitrary<TranscriptEntry>;

/** As it comes back from the disk. */
const stored = (written: string): string => Buffer.from(written).toString('utf8');

const turn = (reply: Partial<Reply>): RecordedTurn => ({
  key: { step: 'spec', attempt: 1, turn: 1 },
  reply: { content: [], stop: 'end', usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }, ...reply },
});

describe('a transcript that is written', () => {
  it.each(['replies.yaml', 'replies.json'])('reads back as it was, whatever the texts are (%s)', (file) => {
    fc.assert(
      fc.property(fc.array(entry, { maxLength: 4 }), (entries) => {
        expect(parseTranscript(stored(serialiseTranscript(entries, file)), file)).toEqual(entries);
      }),
      { numRuns: 300 },
    );
  });

  it.each(ODD.map((odd) => [odd]))('holds %j as YAML, in words, in keys and in values', (odd) => {
    const entries: TranscriptEntry[] = [
      { stage: 'spec', attempt: 1, turn: 1, expect: [], delay: 0, say: odd, calls: [{ tool: 'x', input: { [`k${odd}`]: odd } }] },
    ];
    const written = serialiseTranscript(entries, 'replies.yaml');
    expect(written).toMatch(/^- stage: spec\n/);
    expect(parseTranscript(stored(written), 'replies.yaml')).toEqual(entries);
  });

  it('shows a text of several lines line by line, folds none, and leaves out what goes without saying', () => {
    const long = `${'word '.repeat(60)}end`;
    const entries = toEntries([
      turn({
        content: [
          { type: 'text', text: 'First.' },
          { type: 'opaque', data: { signed: 1 } },
          { type: 'text', text: 'Second.' },
          { type: 'tool-call', id: 'c1', name: 'write_file', input: { path: 'a.js', content: `${long}\nlast\n` } },
        ],
        stop: 'tool-calls',
      }),
    ]);
    expect(serialiseTranscript(entries, 'replies.yaml').split('\n')).toEqual([
      '- stage: spec',
      '  attempt: 1',
      '  turn: 1',
      '  say: |-',
      '    First.',
      '',
      '    Second.',
      '  calls:',
      '    - id: c1',
      '      tool: write_file',
      '      input:',
      '        path: a.js',
      '        content: |',
      `          ${long}`,
      '          last',
      '',
    ]);
  });

  it('is JSON where the file is named so', () => {
    const entries = toEntries([turn({ content: [{ type: 'text', text: 'Hello' }], stop: 'refusal' })]);
    expect(JSON.parse(serialiseTranscript(entries, 'replies.JSON'))).toEqual([
      { stage: 'spec', attempt: 1, turn: 1, say: 'Hello', stop: 'refusal' },
    ]);
  });

  it.each<[string, Partial<Reply>]>([
    ['words and calls', { content: [{ type: 'text', text: 'a' }, call('1')], stop: 'tool-calls' }],
    ['a call that was cut off', { content: [{ ...call('1'), fault: 'The input is no JSON.' }], stop: 'truncated' }],
    ['a refusal with its category', { stop: 'refusal', detail: 'cyber' }],
    ['an overflow', { stop: 'context-overflow', detail: 'too long' }],
    ['usage', { content: [{ type: 'text', text: '' }], usage: { input: 1, output: 2, cacheRead: 3, cacheWrite: 4 } }],
    ['nothing at all', {}],
  ])('gives the same reply when it is played: %s', async (_name, reply) => {
    const recorded = turn(reply);
    const entries = parseTranscript(serialiseTranscript(toEntries([recorded]), 'r.yaml'), 'r.yaml');
    const engine = createTranscriptEngine({ name: 'transcript:r.yaml', file: 'r.yaml', entries, wait: () => Promise.resolve() });
    const request = { key: recorded.key, system: [], messages: [], tools: [] };
    expect(await engine.complete(request, { signal: new AbortController().signal })).toEqual(recorded.reply);
  });

  it.each([
    ['[]', true],
    ['- { stage: a, turn: 1 }', true],
    ['', false],
    ['words', false],
    ['- { stage: a, trun: 1 }', false],
    ['a: [', false],
  ])('%j is a transcript: %s', (written, is) => {
    expect(isTranscript(written)).toBe(is);
  });
});

function call(id: string) {
  return { type: 'tool-call' as const, id, name: 'read_file', input: { path: 'a' } };
}
