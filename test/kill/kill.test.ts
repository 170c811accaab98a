import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { journalsOf, makeProject, type TestProject } from '../helpers/project.ts';
import { endOf, inParallel, start, STRIDE, SUBJECT, turnsOf } from './subject.ts';

describe('a run killed with SIGKILL', () => {
  let reference: { end: unknown; points: number; turns: number };
  const projects: TestProject[] = [];

  beforeAll(async () => {
    const project = makeProject({ from: SUBJECT.folder });
    projects.push(project);
    const ended = await start(project, 0);
    expect(ended.stderr).toBe('');
    const { points } = JSON.parse(ended.stdout) as { points: number };
    reference = { end: endOf(project), points, turns: turnsOf(project).length };
  });

  afterAll(() => projects.forEach((project) => project.remove()));

  it(
    'ends, when it is resumed, in the same tree as a run that was not, and asks for no recorded reply again',
    { timeout: 3_600_000 },
    async () => {
      expect(reference.points).toBeGreaterThan(150);
      const points = Array.from({ length: reference.points }, (_, index) => index + 1).filter(
        (point) => point % STRIDE === 1 || STRIDE === 1,
      );
      const failures: string[] = [];
      await inParallel(points, async (point) => {
        const project = makeProject({ from: SUBJECT.folder });
        try {
          const killed = await start(project, point);
          if (killed.signal !== 'SIGKILL') failures.push(`point ${point}: was not killed: ${killed.stderr}`);
          const resumed = await start(project, 0);
          if (resumed.code !== 0)
            failures.push(`point ${point} (${killed.stdout.trim()}): resume ended with ${resumed.code}: ${resumed.stderr}`);
          else {
            try {
              expect(endOf(project)).toEqual(reference.end);
            } catch (error) {
              failures.push(`point ${point} (${killed.stdout.trim()}): ${(error as Error).message.slice(0, 1500)}`);
            }
            const turns = turnsOf(project);
            if (new Set(turns).size !== turns.length)
              failures.push(`point ${point} (${killed.stdout.trim()}): a recorded reply was asked for again: ${turns.join(' ')}`);
            if (turns.length !== reference.turns) failures.push(`point ${point}: ${turns.length} turns, expected ${reference.turns}`);
          }
        } finally {
          project.remove();
        }
      });
      expect(failures).toEqual([]);
    },
  );
});

describe('a run that goes on from an ended one', () => {
  it('carries over all of it when it is killed on the way, and plays nothing again', { timeout: 3_600_000 }, async () => {
    const ended = makeProject({ from: SUBJECT.folder });
    expect(await start(ended, 0, { commit: false })).toMatchObject({ code: 0 });
    const copy = (): TestProject => makeProject({ from: ended.root, git: false });
    const whole = copy();
    const { stdout } = await start(whole, 0, { from: 'commit', mode: 'resume' });
    const { points } = JSON.parse(stdout) as { points: number };
    const reference = endOf(whole);
    const failures: string[] = [];
    const step = Math.max(1, Math.round(STRIDE / 2));
    await inParallel(
      Array.from({ length: points }, (_, index) => index + 1).filter((point) => point % step === 0 || STRIDE === 1),
      async (point) => {
        const project = copy();
        const killed = await start(project, point, { from: 'commit', mode: 'resume' });
        const resumed = await start(project, 0, {
          mode: 'resume',
          ...(journalsOf(project.root).slice(1).flat().length === 0 && { from: 'commit' }),
        });
        const begun = journalsOf(project.root)
          .slice(1)
          .flatMap((events) => events.filter(({ type }) => type === 'attempt-start').map(({ data }) => String(data['step'])));
        try {
          expect(resumed).toMatchObject({ code: 0 });
          expect(new Set(begun)).toEqual(new Set(['commit']));
          expect(endOf(project)).toEqual(reference);
        } catch (error) {
          failures.push(`point ${point} (${killed.stdout.trim()}): ${(error as Error).message.slice(0, 800)}`);
        }
        project.remove();
      },
    );
    whole.remove();
    ended.remove();
    expect(failures).toEqual([]);
  });
});
