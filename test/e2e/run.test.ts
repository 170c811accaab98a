import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { journalsOf, type TestProject } from '../helpers/project.ts';
import { BRIEF_TEXT, cutOff, FOLDER, repeated, runSmall, smallProject, stepsBegun } from '../helpers/small.ts';

let project: TestProject;
afterEach(() => project.remove());

describe('blueprint feature', () => {
  it('ends with a commit that holds exactly the files of the run, and a green suite', async () => {
    project = smallProject();
    project.write('mine.txt', 'my own, uncommitted\n');
    project.write('src/greet.js', `${project.read('src/greet.js')}\n// mine, staged\n`);
    project.git('add', 'src/greet.js');
    const { code, stdout } = await runSmall(project);
    expect(code).toBe(0);
    const committed = project.git('show', '--name-only', '--format=', 'HEAD').trim().split('\n').sort();
    const artifacts = [
      'FEATURE_SPEC.md',
      'IMPLEMENTATION_PLAN.md',
      'brief.md',
      'hand-off-implement.md',
      'hand-off-plan.md',
      'hand-off-spec.md',
      'hand-off-stories.md',
      'hand-off-tests.md',
      'story-say-farewell.md',
      'test-spec.md',
    ];
    expect(committed).toEqual([...artifacts.map((name) => `${FOLDER}/${name}`), 'src/farewell.js', 'test/farewell.test.js'].sort());
    for (const name of artifacts.filter((one) => one.startsWith('hand-off')))
      expect(project.read(`${FOLDER}/${name}`).split('\n').length).toBeLessThan(30);
    expect(project.git('status', '--porcelain').trim().split('\n').sort()).toEqual(['?? mine.txt', 'M  src/greet.js']);
    expect(project.git('branch', '--show-current').trim()).toBe('blueprint/farewell');
    expect(stdout).toContain(project.git('rev-parse', '--short=7', 'HEAD').trim().slice(0, 7));
    expect(() => execFileSync('node', ['--test'], { cwd: project.root, env: project.env })).not.toThrow();
  });

  it('has seen the tests red before the code and green after', async () => {
    project = smallProject();
    await runSmall(project);
    const runs = (journalsOf(project.root)[0] ?? [])
      .filter(({ type }) => type === 'command-end')
      .map(({ data }) => [data['purpose'], data['failed']]);
    expect(runs[0]?.[0]).toBe('red');
    expect(runs[0]?.[1]).not.toBe(0);
    expect(runs.slice(1)).toEqual([
      ['green', 0],
      ['verify', 0],
    ]);
  });

  it('does nothing a second time when everything is fresh, and makes no second run', async () => {
    project = smallProject();
    await runSmall(project);
    const head = project.git('rev-parse', 'HEAD');
    const again = await runSmall(project);
    expect(again.code).toBe(0);
    expect(`${again.stdout}${again.stderr}`).toMatch(/nothing to do/i);
    expect(project.git('rev-parse', 'HEAD')).toBe(head);
    expect(journalsOf(project.root)).toHaveLength(1);
  });

  it('works without git and says that nothing is committed', async () => {
    project = smallProject({ git: false });
    const { code, stdout, stderr } = await runSmall(project);
    expect(code).toBe(0);
    expect(`${stdout}${stderr}`).toMatch(/not committed: this project is not in a git repository/);
    expect(existsSync(join(project.root, 'src/farewell.js'))).toBe(true);
  });

  it('commits later what --no-commit left, with --from commit', async () => {
    project = smallProject();
    const first = await runSmall(project, repeated(), '--no-commit');
    expect(first.code).toBe(0);
    expect(project.git('rev-list', '--count', 'HEAD').trim()).toBe('1');
    const second = await project.run('resume', 'farewell', '--from', 'commit');
    expect(second.code).toBe(0);
    expect(project.git('show', '--name-only', '--format=', 'HEAD')).toContain('src/farewell.js');
  });

  it('tells with --json every event and, last, the result', async () => {
    project = smallProject();
    const { stdout } = await runSmall(project, repeated(), '--json');
    const lines = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { type: string; ok?: boolean; outcome?: { criteria: { proven: boolean }[] } });
    expect(lines.at(-1)).toMatchObject({ type: 'result', ok: true, exitCode: 0 });
    expect(lines.at(-1)?.outcome?.criteria.map(({ proven }) => proven)).toEqual([true, true]);
    expect(lines.slice(0, -1).every(({ type }) => type === 'event')).toBe(true);
  });

  it('ends with exit 4 and the ways out when no engine is named, and writes nothing', async () => {
    project = smallProject();
    const { code, stderr } = await project.run('feature', 'farewell', '--brief', BRIEF_TEXT);
    expect(code).toBe(4);
    expect(stderr).toContain('--engine');
    expect(journalsOf(project.root)).toEqual([]);
    expect(existsSync(join(project.root, FOLDER))).toBe(false);
  });

  it('ends with exit 2 and the way out without a brief', async () => {
    project = smallProject();
    const { code, stderr } = await project.run('feature', 'farewell', '--engine', 'transcript:none.yaml');
    expect(code).toBe(2);
    expect(stderr).toContain('--brief');
  });

  it('takes a brief from standard input, a file, or where it lies', async () => {
    project = smallProject();
    project.write(`${FOLDER}/brief.md`, 'Lies here already.\n');
    const { code } = await project.run('feature', 'farewell', '--engine', 'transcript:none.yaml');
    expect(code).toBe(2);
    project.write('brief.txt', 'Another one.\n');
    const other = await project.run('feature', 'farewell', '--brief-file', 'brief.txt', '--engine', 'transcript:none.yaml');
    expect(other.code).toBe(2);
    expect(other.stderr).toContain('another brief');
  });

  it('is found from a folder below the project', async () => {
    project = smallProject();
    const { code, stdout } = await project.run('status', '--cwd', join(project.root, 'src'));
    expect(code).toBe(0);
    expect(stdout).not.toContain('error');
  });
});

describe('a stage that gives up', () => {
  it('ends with exit 1, names the findings, and is tried again by resume with a new attempt', async () => {
    project = smallProject();
    const replies = repeated(2).flatMap((turn) => (turn.stage === 'plan' && turn.attempt === 1 ? cutOff(turn) : [turn]));
    const first = await runSmall(project, replies);
    expect(first.code).toBe(1);
    expect(first.stderr).toContain('blueprint resume farewell');
    const second = await project.run('resume', 'farewell');
    expect(second.code).toBe(0);
    expect(stepsBegun(project).filter((step) => step === 'plan')).toHaveLength(2);
  });

  it('is tried again at once with --yes, and the next prompt holds the failure', async () => {
    project = smallProject();
    const replies = repeated(2).flatMap((turn) => {
      if (turn.stage !== 'plan') return [turn];
      return turn.attempt === 1 ? cutOff(turn) : [{ ...turn, expect: ['Why the last attempt failed', 'cut off'] }];
    });
    expect((await runSmall(project, replies, '--yes')).code).toBe(0);
  });

  it('gets its findings back in the same conversation and may mend them', async () => {
    project = smallProject();
    const replies = repeated(1).flatMap((turn) => {
      if (turn.stage !== 'tests') return [turn];
      const submission = turn.calls?.[1];
      const input = submission?.input as { tests: unknown[] };
      const partial = { ...input, tests: input.tests.slice(0, 1) };
      return [
        { ...turn, calls: [{ tool: 'submit_test_spec', input: partial }] },
        { ...turn, turn: 2, expect: ['story-say-farewell:AC-2'] },
      ];
    });
    expect((await runSmall(project, replies)).code).toBe(0);
  });

  it('must hold in its files the tests it lists, though none of them can run yet', async () => {
    project = smallProject();
    const replies = repeated(1).flatMap((turn) => {
      if (turn.stage !== 'tests') return [turn];
      const text = JSON.stringify(turn.calls?.[1]?.input);
      const lie = JSON.parse(text.replace("test('story-say-farewell:AC-2", "test('nothing")) as Record<string, unknown>;
      return [
        { ...turn, calls: [{ tool: 'submit_test_spec', input: lie }] },
        { ...turn, turn: 2, expect: ['without the id story-say-farewell:AC-2'] },
      ];
    });
    expect((await runSmall(project, replies, '--pause-after', 'tests')).code).toBe(0);
  });

  it('puts placed tests back when the tests attempt fails', async () => {
    project = smallProject();
    const replies = repeated(1).map((turn) => {
      if (turn.stage !== 'tests') return turn;
      const input = { ...(turn.calls?.[1]?.input as object), creates: [] };
      return { ...turn, calls: [{ tool: 'submit_test_spec', input }] };
    });
    const again = [2, 3].map((turn) => ({ ...(replies.find(({ stage }) => stage === 'tests') as (typeof replies)[number]), turn }));
    const { code, stderr } = await runSmall(project, [...replies, ...again]);
    expect(code).toBe(1);
    expect(stderr).toContain('creates');
    expect(existsSync(join(project.root, 'test/farewell.test.js'))).toBe(false);
  });
});
