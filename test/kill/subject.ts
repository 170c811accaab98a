import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { smallReplies } from '../fixtures/small.replies.mjs';
import { BRIEF, cleanEnvironment, EXAMPLE, exampleReplies, journalsOf, REPOSITORY, treeOf, type TestProject } from '../helpers/project.ts';

// Every n-th point by default; BLUEPRINT_KILL_STRIDE=1 enumerates them all.
export const STRIDE = Number(process.env['BLUEPRINT_KILL_STRIDE'] ?? 19);
const ENTRY = join(REPOSITORY, 'test', 'kill', 'entry.mjs');

/** The small fixture, or (BLUEPRINT_KILL_PROJECT=example, slow) the example that `npm start` shows. */
export const SUBJECT =
  process.env['BLUEPRINT_KILL_PROJECT'] === 'example'
    ? { folder: EXAMPLE, slug: 'search', replies: () => exampleReplies(), brief: () => readFileSync(BRIEF, 'utf8') }
    : {
        folder: join(REPOSITORY, 'test', 'fixtures', 'small'),
        slug: 'farewell',
        replies: () => smallReplies(),
        brief: () => 'See visitors off by name.\n',
      };

export interface Ended {
  code: number | null;
  signal: string | null;
  stdout: string;
  stderr: string;
}

/** Runs the entry; `more` are options of the run, `env` is added to the environment. */
export function start(...given: Parameters<typeof begin>): Promise<Ended> {
  return begin(...given).ended;
}

export function begin(
  project: TestProject,
  dieAt: number,
  more: object = {},
  env: Record<string, string> = {},
): { kill: () => void; ended: Promise<Ended> } {
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
  let kill = (): void => undefined;
  const ended = new Promise<Ended>((resolve) => {
    const child = execFile(
      process.execPath,
      args,
      { cwd: project.root, env: { ...cleanEnvironment(join(beside, 'home')), ...env } },
      (error, stdout, stderr) => {
        resolve({
          code: child.exitCode,
          signal: child.signalCode,
          stdout,
          stderr: error && !child.signalCode ? `${stderr}${error.message}` : stderr,
        });
      },
    );
    kill = () => void child.kill('SIGKILL');
  });
  return { kill: () => kill(), ended };
}

/** The git tree of HEAD and every file: what a run must come to, whatever happened on the way. */
export function endOf(project: TestProject): unknown {
  return {
    files: treeOf(project.root),
    tree: project.git('rev-parse', 'HEAD^{tree}').trim(),
    status: project.git('status', '--porcelain'),
    commits: project.git('rev-list', '--count', 'HEAD').trim(),
  };
}

/** `step.attempt.turn` of every reply that is recorded. */
export function turnsOf(project: TestProject): string[] {
  return journalsOf(project.root).flatMap((events) =>
    events
      .filter(({ type }) => type === 'turn-end')
      .map(({ data }) => `${String(data['step'])}.${String(data['attempt'])}.${String(data['turn'])}`),
  );
}

/** Two at a time. */
export async function inParallel(points: number[], work: (point: number) => Promise<void>): Promise<void> {
  const queue = [...points];
  await Promise.all(
    Array.from({ length: 2 }, async () => {
      for (let point = queue.shift(); point !== undefined; point = queue.shift()) await work(point);
    }),
  );
}
