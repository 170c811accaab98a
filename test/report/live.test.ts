import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { EventData, EventType, JournalEvent, RunEvent } from '../../src/model/event.ts';
import { createLive, type Live } from '../../src/report/live.ts';
import { displayWidth } from '../../src/report/width.ts';

function event<Type extends EventType>(type: Type, data: EventData[Type]): JournalEvent {
  return { seq: 1, time: '2026-12-01T00:00:00.000Z', type, data } as JournalEvent;
}

const step = 'implement';
const begun = event('attempt-start', { step, attempt: 1, inputs: {} });
const asking: RunEvent = { type: 'turn-start', step, attempt: 1, turn: 7 };
const usage = { input: 12_000, output: 100, cacheRead: 50, cacheWrite: 50 };
const answered = event('turn-end', { step, attempt: 1, turn: 7, reply: '', stop: 'end', usage, duration: 1 });
const called = (tool: string, target?: string): RunEvent => ({ type: 'call-start', step, tool, ...(target !== undefined && { target }) });

/** A live state that has seen these events, all at second 0. */
function after(...events: RunEvent[]): Live {
  const live = createLive();
  for (const one of events) live.apply(one, 0);
  return live;
}

/** What is being done, of a line like `implement · Codey · turn 7 · asking the model · 0 s`. */
const doing = (one: RunEvent): string | undefined => after(begun, one).text(0)?.split(' · ').slice(2, -1).at(-1);

describe('the live line', () => {
  it('says step, persona, turn, what is going on, tokens and time', () => {
    const live = after(begun, asking, answered, called('run_command', 'npm test'));
    expect(live.text(72_900)).toBe('implement · Codey · turn 7 · running npm test · 12,200 tokens · 1 min 12 s');
  });

  it('names no persona for a stage of the project', () => {
    expect(after(event('attempt-start', { step: 'constructor', attempt: 1, inputs: {} })).text(0)).toBe('constructor · working · 0 s');
  });

  const DOING: [RunEvent, string][] = [
    [asking, 'asking the model'],
    [{ type: 'reply-progress', step, kind: 'thinking', characters: 9 }, 'thinking'],
    [{ type: 'reply-progress', step, kind: 'text', characters: 9 }, 'writing'],
    [{ type: 'reply-progress', step, kind: 'tool-call', tool: 'submit_story', characters: 1200 }, 'writing a submission, 1,200 characters'],
    [{ type: 'reply-progress', step, kind: 'tool-call', tool: 'edit_file', characters: 0 }, 'preparing edit_file, 0 characters'],
    [{ type: 'reply-progress', step, kind: 'tool-call', characters: 5 }, 'preparing a call, 5 characters'],
    [called('read_file', 'src/a.ts'), 'reading src/a.ts'],
    [called('list_files', 'src'), 'listing src'],
    [called('list_files'), 'listing files'],
    [called('search_files', 'TODO'), 'searching for TODO'],
    [called('write_file', 'src/a.ts'), 'writing src/a.ts'],
    [called('edit_file', 'src/a.ts'), 'editing src/a.ts'],
    [called('run_command', 'npm\n  test'), 'running npm test'],
    [called('submit_story'), 'handing in'],
    [called('toString', 'x'), 'toString x'],
    [{ type: 'command-start', step, command: 'npm run lint' }, 'running npm run lint'],
    [answered, 'working'],
  ];
  it.each(DOING)('for %j says "%s"', (given, words) => {
    // Tokens stand behind the activity.
    expect(given === answered ? after(begun, given).text(0) : doing(given)).toContain(words);
  });

  it('goes back to working when a command or a call has ended', () => {
    const ended = event('tool-end', {
      step,
      attempt: 1,
      turn: 7,
      call: 'c',
      tool: 'run_command',
      kind: 'command',
      output: '',
      error: false,
    });
    expect(after(begun, called('run_command', 'npm test'), ended).text(0)).toBe('implement · Codey · working · 0 s');
  });

  it('counts the seconds of a wait down, and says afterwards what was going on before', () => {
    const live = after(begun, asking, { type: 'waiting', text: 'the model is overloaded', milliseconds: 12_000 });
    expect(live.text(500)).toBe('implement · Codey · turn 7 · the model is overloaded · 12 s left · 0 s');
    expect(live.text(11_500)).toBe('implement · Codey · turn 7 · the model is overloaded · 1 s left · 11 s');
    expect(live.text(12_000)).toBe('implement · Codey · turn 7 · asking the model · 12 s');
  });

  it('shows a wait between steps, until something happens', () => {
    const live = after({ type: 'waiting', text: 'waiting: feature other has the checkout' });
    expect(live.text(3_000)).toBe('waiting: feature other has the checkout · 3 s');
    live.apply({ type: 'note', level: 'info', text: 'by the way' }, 3_000);
    expect(live.text(4_000)).toBe('waiting: feature other has the checkout · 4 s');
    live.apply(begun, 5_000);
    expect(live.text(5_000)).toBe('implement · Codey · working · 0 s');
  });

  it('counts tokens and time anew with each attempt', () => {
    const live = after(begun, asking, answered);
    live.apply(event('attempt-end', { step, attempt: 1, outcome: 'failed' }), 60_000);
    live.apply(event('attempt-start', { step, attempt: 2, inputs: {} }), 61_000);
    expect(live.text(63_000)).toBe('implement · Codey · working · 2 s');
  });

  it('counts the time of an attempt that another process began from the first event of this one', () => {
    const live = createLive();
    live.apply(event('run-resumed', { pid: 1, host: 'h', engine: 'e' }), 1_000);
    live.apply(asking, 4_000);
    expect(live.text(6_000)).toBe('implement · Codey · turn 7 · asking the model · 5 s');
  });

  const OVER: [string, RunEvent][] = [
    ['a stage has passed', event('stage-end', { step, attempt: 1, inputs: {}, outputs: {} })],
    ['an attempt has failed', event('attempt-end', { step, attempt: 1, outcome: 'failed' })],
    ['the run is paused', event('run-paused', { step, reason: 'failed', message: '' })],
    ['the run has ended', event('run-ended', { status: 'completed' })],
    ['a question is asked', event('gate-opened', { gate: 'g', step, question: '?' })],
  ];
  it.each(OVER)('is gone when %s', (_when, given) => {
    expect(after(begun, asking, given).text(0)).toBeUndefined();
  });

  it('is there again when the question was answered', () => {
    const asked = event('gate-opened', { gate: 'g', step, question: '?' });
    expect(after(begun, asked, event('gate-answered', { gate: 'g', step, answer: 'a', by: 'person' })).text(0)).toBeDefined();
  });

  it('is not there before anything runs', () => {
    expect(createLive().text(0)).toBeUndefined();
  });

  it('shortens what is going on before anything else', () => {
    const live = after(begun, asking, answered, called('run_command', 'npm test -- --reporter=verbose'));
    expect(live.text(0, 72)).toBe('implement · Codey · turn 7 · running npm test --… · 12,200 tokens · 0 s');
    expect(live.text(0, 20)).toBe('implement · Codey ·…');
  });

  it('is never wider than it may be, nor holds a control character, whatever a role says', () => {
    const nasty = fc
      .array(fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('\u001b[31m', '\u001b]8;;x', '\r', '\n', '漢字', '👩‍👩‍👧', '\u202e')))
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(nasty, fc.nat(90), (text, width) => {
        const events: RunEvent[] = [called('run_command', text), called(text, text), { type: 'waiting', text, milliseconds: 9 }];
        for (const one of [...events, { type: 'command-start', step: text, command: text } as RunEvent]) {
          const shown = after(begun, asking, one).text(0, width) ?? '';
          expect(displayWidth(shown)).toBeLessThanOrEqual(width);
          expect(shown).not.toMatch(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/u);
        }
      }),
    );
  });
});
