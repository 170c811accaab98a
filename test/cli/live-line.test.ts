import { describe, expect, it } from 'vitest';
import { createLiveLine, type LiveLine } from '../../src/cli/live-line.ts';
import type { EventData, EventType, JournalEvent, RunEvent } from '../../src/model/event.ts';

function event<Type extends EventType>(type: Type, data: EventData[Type]): JournalEvent {
  return { seq: 1, time: '2026-12-01T00:00:00.000Z', type, data } as JournalEvent;
}

const begun = event('attempt-start', { step: 'plan', attempt: 1, inputs: {} });
const ended = event('stage-end', { step: 'plan', attempt: 1, inputs: {}, outputs: {} });
const thinking: RunEvent = { type: 'reply-progress', step: 'plan', kind: 'thinking', characters: 1 };
const ERASE = '\r\u001b[2K';

interface World {
  line: LiveLine;
  /** What was written since the last time this was asked. */
  written: () => string;
  /** Lets time go by; timers fire when they are due. */
  pass: (milliseconds: number) => void;
  timers: () => number;
}

function world({ isLive, columns = 80 }: { isLive: boolean; columns?: number }): World {
  let text = '';
  let now = 0;
  const timers = new Set<{ every: number; next: number; tick: () => void }>();
  const line = createLiveLine({
    write: (more) => void (text += more),
    columns: () => columns,
    now: () => now,
    every: (milliseconds, tick) => {
      const timer = { every: milliseconds, next: now + milliseconds, tick };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
    isLive,
  });
  return {
    line,
    written: () => {
      const since = text;
      text = '';
      return since;
    },
    pass: (milliseconds) => {
      for (const end = now + milliseconds; now < end; now += 1)
        for (const timer of timers)
          if (timer.next <= now) {
            timer.next += timer.every;
            timer.tick();
          }
    },
    timers: () => timers.size,
  };
}

describe('in a terminal', () => {
  it('a line is printed above the live one, which is drawn anew below', () => {
    const { line, written } = world({ isLive: true });
    line.tell(begun, ['▸ plan']);
    expect(written()).toBe('▸ plan\n⠋ plan · Codey · working · 0 s');
    line.tell({ type: 'note', level: 'info', text: 'x' }, ['· x']);
    expect(written()).toBe(`${ERASE}· x\n⠋ plan · Codey · working · 0 s`);
  });

  it('moves about eight times a second, in place and without a new line', () => {
    const { line, written, pass } = world({ isLive: true });
    line.tell(begun, []);
    pass(1_001);
    const frames = written().split('\r').slice(1);
    expect(frames).toHaveLength(8);
    expect(new Set(frames.map((frame) => frame[0])).size).toBe(8);
    for (const frame of frames) expect(frame.slice(1)).toMatch(/^ plan · Codey · working · [01] s.\[K$/);
  });

  it('draws nothing by itself for events that only change the picture', () => {
    const { line, written, pass } = world({ isLive: true });
    line.tell(begun, ['▸ plan']);
    written();
    for (let count = 0; count < 500; count += 1) line.tell(thinking, []);
    expect(written()).toBe('');
    pass(121);
    expect(written()).toContain('thinking');
  });

  it('is cleared when the step ends, and nothing is drawn after it', () => {
    const { line, written, pass } = world({ isLive: true });
    line.tell(begun, []);
    pass(200);
    written();
    line.tell(ended, ['✓ plan']);
    expect(written()).toBe(`${ERASE}✓ plan\n`);
    pass(60_000);
    expect(written()).toBe('');
  });

  it('is cleared at the end, once, with its timer; later lines are plain', () => {
    const { line, written, pass, timers } = world({ isLive: true });
    line.tell(begun, ['▸ plan']);
    written();
    line.end();
    line.end();
    expect({ written: written(), timers: timers() }).toEqual({ written: ERASE, timers: 0 });
    line.tell(thinking, ['late']);
    pass(1_000);
    expect({ written: written(), timers: timers() }).toEqual({ written: 'late\n', timers: 0 });
  });

  it.each([
    [20, 19],
    [0, 79],
    [1, 1],
  ])('with %i columns takes at most %i', (columns, most) => {
    const { line, written } = world({ isLive: true, columns });
    line.tell({ type: 'command-start', step: 'verify', command: 'x'.repeat(500) }, []);
    line.tell({ type: 'note', level: 'info', text: '' }, ['']);
    expect(written().replace('\n', '')).toHaveLength(most);
  });

  it('is off the screen while a question is asked, and comes back when it failed too', async () => {
    const { line, written, pass } = world({ isLive: true });
    line.tell(begun, ['▸ plan']);
    written();
    const asked = line.away(() => {
      pass(5_000);
      line.tell(thinking, []);
      return Promise.reject(new Error('no answer'));
    });
    expect(written()).toBe(ERASE);
    await expect(asked).rejects.toThrow('no answer');
    pass(200);
    expect(written()).toContain('thinking');
  });

  it('is off the screen while something else is written', () => {
    const { line, written } = world({ isLive: true });
    line.tell(begun, ['▸ plan']);
    written();
    let seen = '';
    line.aside(() => void (seen = written()));
    expect(seen).toBe(ERASE);
    expect(written()).toBe('⠋ plan · Codey · working · 0 s');
  });
});

describe('in a log', () => {
  it('only whole lines are written', () => {
    const { line, written, pass } = world({ isLive: false });
    line.tell(begun, ['▸ plan']);
    line.aside(() => undefined);
    pass(29_000);
    line.tell(ended, ['✓ plan']);
    line.end();
    expect(written()).toBe('▸ plan\n✓ plan\n');
  });

  it('a step tells that it lives after 30 s of silence and then every 60 s', () => {
    const { line, written, pass } = world({ isLive: false });
    line.tell(begun, ['▸ plan']);
    written();
    pass(29_900);
    expect(written()).toBe('');
    line.tell(thinking, []);
    pass(1_200);
    expect(written()).toBe('  … plan · Codey · thinking · 30 s\n');
    pass(58_800);
    expect(written()).toBe('');
    pass(61_000);
    expect(written()).toBe('  … plan · Codey · thinking · 1 min 30 s\n  … plan · Codey · thinking · 2 min 30 s\n');
  });

  it('a line that is printed puts the sign of life off', () => {
    const { line, written, pass } = world({ isLive: false });
    line.tell(begun, ['▸ plan']);
    pass(20_000);
    line.tell(thinking, ['· x']);
    pass(20_000);
    expect(written()).toBe('▸ plan\n· x\n');
  });

  it('nothing is said while nothing runs, or while a person is asked', async () => {
    const { line, written, pass } = world({ isLive: false });
    line.tell(begun, []);
    await line.away(() => Promise.resolve(pass(100_000)));
    line.tell(ended, []);
    pass(100_000);
    expect(written()).toBe('');
  });
});

it('without an event there is neither a timer nor a picture', () => {
  const { line, written, timers } = world({ isLive: true });
  line.aside(() => undefined);
  expect({ timers: timers(), written: written() }).toEqual({ timers: 0, written: '' });
});
