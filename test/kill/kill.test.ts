import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  BRIEF,
  cleanEnvironment,
  EXAMPLE,
  exampleReplies,
  journalsOf,
  makeProject,
  REPOSITORY,
  treeOf,
  type TestProject,
} from '../helpers/project.ts';
import { smallReplies } from '../fixtures/small.replies.mjs';

// Every n-th point by default; BLUEPRINT_KILL_STRIDE=1 enumerates them all.
const STRIDE = Number(process.env['BLUEPRINT_KILL_STRIDE'] ?? 13);
const ENTRY = join(REPOSITORY, 'test', 'kill', 'entry.mjs');

/** The small fixture, or (BLUEPRINT_KILL_PROJECT=example, slow) the example that `npm start` shows. */
const SUBJECT =
  process.env['BLUEPRINT_KILL_PROJECT'] === 'example'
    ? { folder: EXAMPLE, slug: 'search', replies: () => exampleReplies(), brief: () => readFileSync(BRIEF, 'utf8') }
    : {
        folder: join(REPOSITORY, 'test', 'fixtures', 'small'),
        slug: 'farewell',
        replies: () => smallReplies(),
        brief: () => 'See visitors off by name.\n',
      };

interface Ended {
  code: number | null;
  signal: string | null;
  stdout: string;
  stderr: string;
}

function start(project: TestProject, dieAt: number, more: object = {}): Promise<Ended> {
  const beside = dirname(project.root);
  writeFileSync(join(beside, 'replies.yaml'), JSON.stringify(SUBJECT.replies()));
  writeFileSync(join(beside, 'brief.md'), SUBJECT.brief());
  const args = [
    ENTRY,
    project.root,
    SUBJECT.slug,
    join(beside, 'replies.yaml'),
    join(beside, 'brief.md'),
    String(dieAt),
    JSON.stringify(more),
  ];
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      args,
      { cwd: project.root, env: cleanEnvironment(join(beside, 'home')) },
      (error, stdout, stderr) => {
        resolve({
          code: child.exitCode,
          signal: child.signalCode,
          stdout,
          stderr: error && !child.signalCode ? `${stderr}${error.message}` : stderr,
        });
      },
    );
  });
}

/** The git tree of HEAD and every file: what a run must come to, whatever happened on the way. */
function endOf(project: TestProject): unknown {
  return {
    files: treeOf(project.root),
    tree: project.git('rev-parse', 'HEAD^{tree}').trim(),
    status: project.git('status', '--porcelain'),
    commits: project.git('rev-list', '--count', 'HEAD').trim(),
  };
}

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

function turnsOf(project: TestProject): string[] {
  return journalsOf(project.root).flatMap((events) =>
    events
      .filter(({ type }) => type === 'turn-end')
      .map(({ data }) => `${String(data['step'])}.${String(data['attempt'])}.${String(data['turn'])}`),
  );
}

async function inParallel(points: number[], work: (point: number) => Promise<void>): Promise<void> {
  const queue = [...points];
  await Promise.all(
    Array.from({ length: 2 }, async () => {
      for (let point = queue.shift(); point !== undefined; point = queue.shift()) await work(point);
    }),
  );
}
