import { describe, expect, it } from 'vitest';
import type { FeatureStatus, StepStatus } from '../../src/model/api.ts';
import { NO_USAGE } from '../../src/model/engine.ts';
import { statusLines } from '../../src/report/status.ts';
import { displayWidth } from '../../src/report/width.ts';

const attempt = {
  attempt: 1,
  outcome: 'passed' as const,
  usage: NO_USAGE,
  long: NO_USAGE,
  unmetered: 0,
  turns: 1,
  startedAt: '',
  inputs: {},
};

function step(more: Partial<StepStatus>): StepStatus {
  return {
    step: 'spec',
    kind: 'stage',
    state: 'passed',
    reasons: [],
    attempts: [attempt],
    time: 12_000,
    usage: NO_USAGE,
    cost: 0,
    ...more,
  };
}

const STATUS: FeatureStatus = {
  feature: 'login',
  run: 'r-1',
  state: 'paused',
  pausedAt: { step: 'tests', reason: 'gate', message: 'Keep yours?\nmore' },
  engine: 'transcript:x',
  steps: [
    step({ role: 'spec', persona: 'Alex', usage: { ...NO_USAGE, input: 3000, output: 100 }, cost: 0.007 }),
    step({ step: '安全审查', persona: '小明', role: 'reviewer', state: 'stale', reasons: ['story.md#AC-1 has changed'] }),
    step({ step: 'verify', kind: 'program', state: 'open', attempts: [], time: 0 }),
  ],
  artifacts: [{ path: 'a/FEATURE_SPEC.md', step: 'spec', state: 'fresh', edited: true, olderRecipe: false, reasons: [] }],
  criteria: [{ id: 'story-login:AC-1', proven: true, red: 'assertion' }],
  open: ['plan: skipped by you'],
  warnings: ['a line could not be read'],
  usage: { ...NO_USAGE, input: 3000, output: 100 },
  cost: 0.007,
  pricesOf: '2026-11-30',
};

describe('statusLines', () => {
  it('is a table where it fits, wide characters counted', () => {
    const lines = statusLines(STATUS, { columns: 100 });
    const rows = lines.filter((line) => /^ {2}(step|spec|安全审查|verify) /.test(line));
    expect(rows).toHaveLength(4);
    // The second column begins at the same place in every row.
    const second = rows.map((row) => displayWidth(row.slice(0, row.search(/(?<= )(state|passed|stale|open)\b/))));
    expect(new Set(second).size).toBe(1);
    for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(100);
  });

  it.each([0, 1, 20, 40])('falls back to lines with %i columns, and says the same', (columns) => {
    const lines = statusLines(STATUS, { columns });
    expect(lines).toContain('  spec · Alex (spec): passed, 1 attempt, 12 s, tokens: 3,000 in, 100 out, cost: $0.0070');
    expect(lines).toContain('  verify: open');
    expect(lines.join('\n')).not.toMatch(/\p{Cc}(?<!\n)/u);
  });

  it.each([0, 100])('tells reasons, artifacts, criteria, what is open and how to go on (%i columns)', (columns) => {
    const text = statusLines(STATUS, { columns }).join('\n');
    for (const part of [
      'story.md#AC-1 has changed',
      'paused at tests (gate): Keep yours?',
      'blueprint resume login',
      'FEATURE_SPEC.md: fresh, edited',
      'story-login:AC-1: proven (seen red: assertion)',
      'cost: $0.0070 (prices of 2026-11-30) · 3,000 in, 100 out',
      'plan: skipped by you',
      '! a line could not be read',
    ])
      expect(text).toContain(part);
  });

  it('of a feature that never ran is a few plain lines', () => {
    const none: FeatureStatus = {
      feature: 'x',
      state: 'none',
      steps: [],
      artifacts: [],
      criteria: [],
      open: [],
      warnings: [],
      usage: NO_USAGE,
      cost: 0,
      pricesOf: '2026-11-30',
    };
    expect(statusLines(none, { columns: 80 })[0]).toBe('x: no run yet');
  });
});

describe('displayWidth', () => {
  it.each([
    ['abc', 3],
    ['安全', 4],
    ['e\u0301', 1],
    ['👩‍👩‍👧', 2],
    ['🇩🇪', 2],
    ['✓ ▸ ©', 5],
    ['\u{20bb7}', 2],
    ['\u200b', 0],
    ['', 0],
  ])('of %j is %i', (text, width) => {
    expect(displayWidth(text)).toBe(width);
  });
});
