import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { runFeature } from '../../src/compose.ts';
import { parseTranscript, type TranscriptEntry } from '../../src/engines/transcript/transcript.ts';
import { BIN, journalsOf, treeOf, writeReplies, type TestProject, type TranscriptTurn } from '../helpers/project.ts';
import { BRIEF_TEXT, repeated, runSmall, smallProject, stepsBegun, cutOff } from '../helpers/small.ts';

const projects: TestProject[] = [];
afterEach(() => projects.splice(0).forEach((one) => one.remove()));

function fresh(): TestProject {
  const project = smallProject();
  projects.push(project);
  return project;
}

const beside = (project: TestProject, name: string): string => join(dirname(project.root), name);

function read(project: TestProject, name: string): TranscriptEntry[] {
  return parseTranscript(readFileSync(beside(project, name), 'utf8'), name);
}

const keysOf = (entries: TranscriptEntry[]): string[] => entries.map(({ stage, attempt, turn }) => `${stage}.${attempt}.${turn}`);

/** Plays a recording in a fresh copy of the project. */
async function playBack(project: TestProject, name: string, ...more: string[]) {
  const copy = fresh();
  const engine = `transcript:${beside(project, name)}`;
  const played = await copy.run('feature', 'farewell', '--brief', BRIEF_TEXT, '--engine', engine, ...more);
  return { copy, played };
}

async function criteriaOf(project: TestProject): Promise<unknown> {
  const { stdout } = await project.run('status', 'farewell', '--json');
  return (JSON.parse(stdout) as { features: { criteria: unknown }[] }).features[0]?.criteria;
}

const failingPlan = repeated(2).flatMap((turn) =>
  turn.stage === 'plan' && turn.attempt === 1 ? cutOff({ ...turn, say: 'I will: # not\r\n', calls: [] }) : [turn],
);

describe('--record', () => {
  it.each(['made.yaml', 'made.json'])(
    'writes %s, which played back in a fresh copy gives the same files and the same proofs',
    async (name) => {
      const project = fresh();
      const { code, stdout } = await runSmall(project, repeated(1), '--record', `../${name}`);
      expect(code).toBe(0);
      expect(stdout).toContain(`  recorded   ${beside(project, name)}\n`);
      const { copy, played } = await playBack(project, name);
      expect(played.code).toBe(0);
      expect(treeOf(copy.root)).toEqual(treeOf(project.root));
      expect(await criteriaOf(copy)).toEqual(await criteriaOf(project));
      expect(copy.git('rev-parse', 'HEAD^{tree}')).toBe(project.git('rev-parse', 'HEAD^{tree}'));
    },
  );

  it('holds the turns of every process of a run, its failed attempts too, and none of a superseded one', { timeout: 120_000 }, async () => {
    const project = fresh();
    expect((await runSmall(project, failingPlan, '--pause-after', 'tests')).code).toBe(0);
    const failed = await project.run('resume', 'farewell', '--record', beside(project, 'half.yaml'));
    expect(failed.code).toBe(1);
    expect(failed.stderr).toContain(`recorded ${beside(project, 'half.yaml')}`);
    expect(keysOf(read(project, 'half.yaml'))).toEqual(['spec.1.1', 'stories.1.1', 'tests.1.1', 'plan.1.1', 'plan.1.2', 'plan.1.3']);
    // An attempt that gets no reply, and is given up for another engine.
    const none = writeReplies(project, 'none.yaml', []);
    expect((await project.run('resume', 'farewell', '--engine', none)).code).toBe(4);
    const other = writeReplies(project, 'other.yaml', repeated(3));
    const done = await project.run('resume', 'farewell', '--engine', other, '--record', '../whole.yaml', '--json');
    const { outcome } = JSON.parse(done.stdout.trim().split('\n').at(-1) ?? '') as { outcome: { recorded: string } };
    expect(outcome.recorded).toBe(beside(project, 'whole.yaml'));
    expect(stepsBegun(project).filter((step) => step === 'plan')).toHaveLength(3);
    expect(keysOf(read(project, 'whole.yaml')).filter((key) => key.startsWith('plan'))).toEqual([
      'plan.1.1',
      'plan.1.2',
      'plan.1.3',
      'plan.2.1',
    ]);
    const { copy, played } = await playBack(project, 'whole.yaml', '--yes');
    expect(played.code).toBe(0);
    expect(treeOf(copy.root)).toEqual(treeOf(project.root));
    expect(await criteriaOf(copy)).toEqual(await criteriaOf(project));
    expect(stepsBegun(copy).filter((step) => step === 'plan')).toHaveLength(2);
  });

  it('is written when the run is interrupted, and the exit code stays 130', async () => {
    const project = fresh();
    const slow = repeated(1).map((turn): TranscriptTurn => (turn.stage === 'stories' ? { ...turn, delay: 30_000 } : turn));
    const engine = writeReplies(project, 'replies.yaml', slow);
    const args = ['feature', 'farewell', '--brief', BRIEF_TEXT, '--engine', engine, '--record', '../cut.yaml'];
    const child = spawn(process.execPath, [BIN, ...args], { cwd: project.root, env: project.env, stdio: 'ignore' });
    const isAtStories = (): boolean =>
      journalsOf(project.root).some((events) => events.some(({ type, data }) => type === 'attempt-start' && data['step'] === 'stories'));
    for (let round = 0; round < 200 && !isAtStories(); round += 1) await new Promise((resolve) => setTimeout(resolve, 50));
    child.kill('SIGINT');
    expect(await new Promise((resolve) => child.on('close', resolve))).toBe(130);
    expect(keysOf(read(project, 'cut.yaml'))).toEqual(['spec.1.1']);
  });

  it('replaces an earlier recording in one piece, also when nothing is left to do', async () => {
    const project = fresh();
    writeFileSync(beside(project, 'made.yaml'), '- { stage: spec, turn: 1, say: old }\n');
    expect((await runSmall(project, repeated(1))).code).toBe(0);
    expect((await project.run('resume', 'farewell', '--record', '../made.yaml')).code).toBe(0);
    expect(keysOf(read(project, 'made.yaml'))).toContain('implement.1.2');
    expect(readdirSync(dirname(project.root)).filter((name) => name.includes('tmp'))).toEqual([]);
  });

  it('is not written over what the run itself has put there, and the run counts all the same', async () => {
    const project = fresh();
    mkdirSync(join(project.root, 'src'), { recursive: true });
    const { code, stderr } = await runSmall(project, repeated(1), '--record', 'src/farewell.js');
    expect(code).toBe(3);
    expect(stderr).toContain('its recording could not be written');
    expect(project.git('show', 'HEAD:src/farewell.js')).toBe(project.read('src/farewell.js'));
    expect((await project.run('resume', 'farewell', '--record', '../made.yaml')).code).toBe(0);
  });

  it('of a run that has no reply yet writes nothing and says so', async () => {
    const project = fresh();
    const { code, stderr } = await runSmall(project, [], '--record', '../made.yaml');
    expect(code).toBe(4);
    expect(stderr).toContain('nothing to record: the run has no reply yet');
    expect(existsSync(beside(project, 'made.yaml'))).toBe(false);
  });

  it('of a harness writes nothing and says whose replies there are none of', async () => {
    const project = fresh();
    const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0 };
    const input = repeated(1)[0]?.calls?.[0]?.input;
    const engine = {
      kind: 'harness' as const,
      name: 'fake-harness',
      perform: async (job: { kind: string; submit(submission: { kind: string; data: unknown }): Promise<unknown> }) => {
        await job.submit({ kind: job.kind, data: input });
        return { usage, turns: 1 };
      },
    };
    const options = { pauseAfter: ['spec'], commit: true, yes: false, takeNew: false, fresh: false, acceptDamage: false };
    const outcome = await runFeature(
      { ...options, cwd: project.root, slug: 'farewell', brief: BRIEF_TEXT, mode: 'feature', record: '../made.yaml' },
      { emit: () => undefined, signal: new AbortController().signal },
      { env: project.env, engine },
    );
    expect(outcome.notes).toContain('nothing to record: fake-harness is not a provider');
    expect(outcome).not.toHaveProperty('recorded');
    expect(existsSync(beside(project, 'made.yaml'))).toBe(false);
  });

  it.each([
    ['src', /it is a folder/],
    ['none/', /it is a folder/],
    ['none/made.yaml', /there is no folder/],
    ['package.json', /no transcript/],
    ['.blueprint/made.yaml', /\.blueprint\/ is kept by this program/],
    ['.blueprint', /it is a folder/],
    ['../dangling', /leads nowhere/],
    ['../link/made.yaml', /\.blueprint\/ is kept by this program/],
    ['/dev/null', /it is no file/],
    [' ', /empty value for --record/],
  ])('%j is refused before anything runs', async (file, message) => {
    const project = fresh();
    symlinkSync(join(project.root, '.blueprint'), beside(project, 'link'));
    symlinkSync(beside(project, 'nowhere'), beside(project, 'dangling'));
    const before = treeOf(project.root);
    const { code, stdout, stderr } = await runSmall(project, repeated(1), '--record', file);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(message);
    expect(treeOf(project.root)).toEqual(before);
    expect(journalsOf(project.root)).toEqual([]);
  });
});
