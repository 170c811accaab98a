import { describe, expect, it } from 'vitest';
import type { RunOutcome } from '../../src/model/api.ts';
import { errorJson, eventJson, isStreamed, resultJson, statusJson } from '../../src/report/json.ts';
import { outcomeLines } from '../../src/report/outcome.ts';

const OUTCOME: RunOutcome = {
  status: 'completed',
  run: 'r-1',
  feature: 'login',
  root: '/project',
  folder: '.blueprint/features/login',
  commit: '0123456789abcdef',
  branch: 'blueprint/login',
  artifacts: ['a.md', 'b.md'],
  tests: ['test/login.test.js'],
  code: ['src/login.js'],
  criteria: [
    { id: 's:AC-1', proven: true, red: 'assertion' },
    { id: 's:AC-2', proven: false, red: 'already-green' },
    { id: 's:AC-3', proven: false, red: 'assertion' },
  ],
  notes: ['verified together with 1 file of yours'],
};

function outcome(change: Partial<RunOutcome>, without: (keyof RunOutcome)[] = []): RunOutcome {
  return Object.fromEntries(
    Object.entries({ ...OUTCOME, ...change }).filter(([key]) => !without.includes(key as keyof RunOutcome)),
  ) as unknown as RunOutcome;
}

describe('outcomeLines', () => {
  it('says where everything is, what is proven, and what next', () => {
    expect(outcomeLines(OUTCOME)).toEqual([
      'Feature login is done.',
      '',
      '  artifacts  .blueprint/features/login/ (2 files)',
      '  tests      test/login.test.js',
      '  code       src/login.js',
      '  criteria   1 of 3 proven; never seen red: s:AC-2; open: s:AC-3',
      '  commit     0123456789 on blueprint/login',
      '  note       verified together with 1 file of yours',
      '  project    /project',
      '',
      'Look at it: git show 0123456789',
    ]);
  });

  it('of a pause ends with how to go on', () => {
    const lines = outcomeLines(outcome({ status: 'paused', pausedAfter: 'stories' }, ['commit', 'branch']));
    expect(lines[0]).toBe('Feature login is paused after stories.');
    expect(lines.at(-1)).toBe('Edit the files if you like, then: blueprint resume login');
    expect(lines.join('\n')).not.toContain('open: ');
  });

  it('without a commit says why', () => {
    const lines = outcomeLines(outcome({ notCommitted: 'not committed: no git here' }, ['commit', 'branch']));
    expect(lines).toContain('  not committed: no git here');
    expect(lines.at(-1)).toBe('See how it was made: blueprint status login');
  });

  it('holds no control characters of a name', () => {
    expect(outcomeLines(outcome({ code: ['src/\u001b[31mx\r.js'] })).join('')).not.toMatch(/\p{Cc}/u);
  });
});

describe('machine output', () => {
  it('is one line per document, each with its type', () => {
    const note = { type: 'note', level: 'info', text: 'a\nb\u2028\ud800' } as const;
    const lines = [eventJson(note), resultJson(OUTCOME), errorJson(3, { name: 'E', message: 'm' }), statusJson([])];
    expect(lines.map((line) => (JSON.parse(line) as { type: string }).type)).toEqual(['event', 'result', 'result', 'status']);
    for (const line of lines) expect(line).not.toMatch(/[\n\r\ud800]/u);
    expect(JSON.parse(lines[0] ?? '')).toEqual({ type: 'event', event: note });
  });

  it('has the calls of a role in its stream, and not what arrives of a reply', () => {
    expect(isStreamed({ type: 'call-start', step: 'spec', tool: 'read_file' })).toBe(true);
    expect(isStreamed({ type: 'reply-progress', step: 'spec', kind: 'text', characters: 1 })).toBe(false);
  });
});
