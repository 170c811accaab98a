import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { EventData, EventType, JournalEvent, RunEvent } from '../../src/model/event.ts';
import { createProgress } from '../../src/report/progress.ts';

function event<Type extends EventType>(type: Type, data: EventData[Type], seconds = 0): JournalEvent {
  return { seq: 1, time: new Date(seconds * 1000).toISOString(), type, data } as JournalEvent;
}

const told = (...events: RunEvent[]): string[] => events.flatMap(createProgress({ colour: false }));
const usage = { input: 3000, output: 100, cacheRead: 0, cacheWrite: 0 };
const turn = event('turn-end', { step: 'spec', attempt: 1, turn: 1, reply: '', stop: 'end', usage, duration: 1 });
const begun = event('attempt-start', { step: 'spec', attempt: 1, inputs: {} });
const passed = (more: Partial<EventData['stage-end']> = {}) =>
  event('stage-end', { step: 'spec', attempt: 1, inputs: {}, outputs: { '.blueprint/features/x/FEATURE_SPEC.md': 'd' }, ...more }, 12);

const command = (more: Partial<EventData['command-end']>) =>
  event('command-end', {
    step: 'tests',
    attempt: 1,
    purpose: 'green',
    command: 'npm run lint',
    exitCode: 0,
    timedOut: false,
    tree: '',
    output: '',
    passed: 0,
    failed: 0,
    ...more,
  });

const toolEnd = (more: Partial<EventData['tool-end']>) =>
  event('tool-end', {
    step: 'implement',
    attempt: 1,
    turn: 1,
    call: 'c',
    tool: 'run_command',
    kind: 'command',
    output: '',
    error: false,
    ...more,
  });
const changed = [{ path: 'src/a.js', before: null, after: 'd' }];

const LINES: [what: string, event: RunEvent, lines: string[]][] = [
  ['a stage that begins', event('attempt-start', { step: 'stories', attempt: 1, inputs: {} }), ['▸ stories · Cass (ba)']],
  ['a later attempt', event('attempt-start', { step: 'spec', attempt: 2, inputs: {} }), ['▸ spec · Alex (spec) · attempt 2']],
  ['a stage of the project', event('attempt-start', { step: 'constructor', attempt: 1, inputs: {} }), ['▸ constructor']],
  ['all tests red', command({ purpose: 'red', tests: 'b', failed: 6, exitCode: 1 }), ['  red, as it should be: 6 of 6 tests fail']],
  [
    'some tests red',
    command({ purpose: 'red', tests: 'b', failed: 5, passed: 1, exitCode: 1 }),
    ['  red, as it should be: 5 of 6 tests fail; 1 passed beforehand'],
  ],
  ['none red', command({ purpose: 'red', tests: 'b', passed: 6 }), ['  not red: 6 of 6 tests pass beforehand']],
  ['green', command({ tests: 'b', passed: 6 }), ['  green 6/6']],
  ['still red', command({ tests: 'b', passed: 4, failed: 2, exitCode: 1 }), ['  red: 2 of 6 tests fail']],
  ['a suite that fails without a test', command({ tests: 'b', passed: 6, exitCode: 1 }), ['  not green: exit 1, though no test failed']],
  ['a suite without tests', command({ tests: 'b' }), ['  not green: no test ran']],
  [
    'a suite that was killed',
    command({ tests: 'b', passed: 6, exitCode: null }),
    ['  not green: ended by a signal, though no test failed'],
  ],
  ['a time-out', command({ tests: 'b', passed: 6, timedOut: true, exitCode: null }), ['  npm run lint did not end in time']],
  ['a plain command', command({ purpose: 'verify', exitCode: 2 }), ['  npm run lint → exit 2']],
  [
    'a call of a command',
    { type: 'call-start', step: 'implement', tool: 'run_command', target: 'npm\n  test' },
    ['  run_command npm test'],
  ],
  [
    'a call of a long command',
    { type: 'call-start', step: 'implement', tool: 'run_command', target: 'x'.repeat(300) },
    [`  run_command ${'x'.repeat(99)}…`],
  ],
  ['a call that reads', { type: 'call-start', step: 'implement', tool: 'read_file', target: 'a.js' }, []],
  ['a command of a role that did well', toolEnd({}), []],
  ['a command of a role that failed', toolEnd({ error: true }), ['  run_command (error)']],
  ['a command of a role that changed files', toolEnd({ changed }), ['  run_command, changed src/a.js']],
  ['another call that has ended', toolEnd({ tool: 'read_file', kind: 'answer' }), ['  read_file']],
  ['a turn that begins', { type: 'turn-start', step: 'spec', attempt: 1, turn: 1 }, []],
  ['a reply that arrives', { type: 'reply-progress', step: 'spec', kind: 'text', characters: 5 }, []],
  ['a wait', { type: 'waiting', text: 'waiting for the checkout' }, ['waiting for the checkout']],
  ['a wait of known length', { type: 'waiting', text: 'rate limit', milliseconds: 4_200 }, ['  rate limit Asking again in 5 s.']],
  ['a fresh step', { type: 'step-fresh', step: 'spec', reason: 'passed and fresh' }, ['· spec skipped: passed and fresh']],
  [
    'a stale step',
    { type: 'step-stale', step: 'tests', reasons: ['a has changed', 'b is new'] },
    ['· tests is stale: a has changed; b is new'],
  ],
  ['an aborted run', event('run-ended', { status: 'aborted', reason: '--new' }), ['· run ended as aborted: --new']],
  ['a completed run', event('run-ended', { status: 'completed' }), []],
  [
    'a failed attempt, with the places of its findings',
    event('attempt-end', {
      step: 'spec',
      attempt: 1,
      outcome: 'failed',
      failure: {
        kind: 'guardrail',
        message: 'Two faults.',
        findings: [
          { rule: 'a', severity: 'error', message: 'Unexpected A\nmore', file: 'x.md', line: 3, column: 1, hint: 'cut it' },
          { rule: 'b', severity: 'error', message: 'Unexpected B', field: 'rules[0]' },
        ],
      },
    }),
    ['✗ spec failed: Two faults.', '    - x.md:3:1 Unexpected A (cut it)', '    - rules[0] Unexpected B'],
  ],
];

describe('createProgress', () => {
  it.each(LINES)('tells %s', (_what, given, lines) => {
    expect(told(given)).toEqual(lines);
  });

  it('sums up a stage by its files, time and tokens', () => {
    expect(told(begun, turn, passed()).at(-1)).toBe('✓ spec  FEATURE_SPEC.md  12 s, 3,100 tokens');
  });

  it('counts neither time nor tokens of an attempt that began in another process', () => {
    expect(told(turn, passed())).toEqual(['✓ spec  FEATURE_SPEC.md']);
  });

  it('does not say twice why a step is made again', () => {
    const reopened = event('stage-reopened', { step: 'tests', reason: 'a has changed' });
    expect(told({ type: 'step-stale', step: 'tests', reasons: ['a has changed'] }, reopened)).toHaveLength(1);
    expect(told(reopened)).toEqual(['· tests again: a has changed']);
  });

  it('paints only where colour is on', () => {
    expect(createProgress({ colour: true })(begun).join('')).toContain('\u001b[');
    expect(told(begun).join('')).not.toContain('\u001b');
  });

  it('lets no control character through, whatever a role or a command says', () => {
    const nasty = fc
      .array(fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('\u001b[31m', '\u001b]8;;x\u0007', '\r', '\n', '\u009b2J', '\u202e')))
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(nasty, (text) => {
        const lines = told(
          { type: 'note', level: 'warning', text },
          { type: 'step-stale', step: text, reasons: [text] },
          command({ command: text, exitCode: 1 }),
          { type: 'call-start', step: 'implement', tool: 'run_command', target: text },
          event('gate-opened', { gate: 'g', step: 'spec', question: text }),
          passed({ note: text, outputs: { [text]: 'd' } }),
        );
        expect(lines).toHaveLength(6);
        expect(lines.join('')).not.toMatch(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/u);
      }),
    );
  });
});
