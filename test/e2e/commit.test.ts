import { chmodSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { journalsOf, REPOSITORY, writeReplies, type TestProject, type TranscriptTurn } from '../helpers/project.ts';
import { BRIEF_TEXT, repeated, runSmall, smallProject, stepsBegun } from '../helpers/small.ts';

let project: TestProject;
afterEach(() => project.remove());

describe('the commit', () => {
  it('that a hook refuses pauses the run at commit with the words of the hook, and resume makes it', async () => {
    project = smallProject();
    project.write('.git/hooks/pre-commit', '#!/bin/sh\necho "not on a Monday" >&2\nexit 1\n');
    chmodSync(join(project.root, '.git/hooks/pre-commit'), 0o755);
    const refused = await runSmall(project);
    expect(refused.code).toBe(3);
    expect(refused.stderr).toContain('not on a Monday');
    expect(project.git('diff', '--cached', '--name-only')).toBe('');
    project.write('.git/hooks/pre-commit', '#!/bin/sh\nexit 0\n');
    expect((await project.run('resume', 'farewell')).code).toBe(0);
    expect(stepsBegun(project).filter((step) => step !== 'commit')).toEqual(['spec', 'stories', 'tests', 'plan', 'implement', 'verify']);
    expect(project.git('rev-list', '--count', 'HEAD').trim()).toBe('2');
  });

  it('without an identity is refused before the run, with the two commands', async () => {
    project = smallProject();
    for (const name of Object.keys(project.env)) if (/^GIT_(AUTHOR|COMMITTER)/.test(name)) delete project.env[name];
    project.git('config', 'user.useConfigOnly', 'true');
    const { code, stderr } = await runSmall(project);
    expect(code).toBe(3);
    expect(stderr).toContain('git config user.name');
    expect(journalsOf(project.root)).toEqual([]);
  });

  it('that a run was begun without asks for no identity on resume', async () => {
    project = smallProject();
    for (const name of Object.keys(project.env)) if (/^GIT_(AUTHOR|COMMITTER)/.test(name)) delete project.env[name];
    project.git('config', 'user.useConfigOnly', 'true');
    expect((await runSmall(project, repeated(), '--no-commit', '--pause-after', 'spec')).code).toBe(0);
    expect((await project.run('resume', 'farewell')).code).toBe(0);
    expect(project.git('rev-list', '--count', 'HEAD').trim()).toBe('1');
  });

  it('asks before it takes a file that had changes of the person, and leaves it out at their word', async () => {
    project = smallProject();
    project.write('src/greet.js', `${project.read('src/greet.js')}\n// mine\n`);
    const edit = { tool: 'edit_file', input: { path: 'src/greet.js', oldText: 'Hello, ', newText: 'Hello, dear ' } };
    const undo = { tool: 'edit_file', input: { path: 'src/greet.js', oldText: 'Hello, dear ', newText: 'Hello,  '.trimEnd() + ' ' } };
    const replies: TranscriptTurn[] = repeated(1).map((turn) =>
      turn.stage === 'implement' && turn.turn === 1
        ? {
            ...turn,
            calls: [
              ...(turn.calls ?? []),
              edit,
              undo,
              { tool: 'edit_file', input: { path: 'src/greet.js', oldText: '// mine', newText: '// mine, and theirs' } },
            ],
          }
        : turn,
    );
    const stopped = await runSmall(project, replies);
    expect(stopped.code).toBe(3);
    expect(stopped.stderr).toContain('src/greet.js had uncommitted changes of yours');
    expect((await project.run('resume', 'farewell', '--yes')).code).toBe(0);
    expect(project.git('show', '--name-only', '--format=', 'HEAD')).toContain('src/greet.js');
  });

  it('works in a repository without commits', async () => {
    project = smallProject({ git: false });
    project.git('init', '-q', '-b', 'main');
    expect((await runSmall(project)).code).toBe(0);
    expect(project.git('log', '--format=%s').trim().split('\n')).toHaveLength(1);
  });
});

describe('a project whose runner is vitest', () => {
  it('is taken from red to green like any other', { timeout: 120_000 }, async () => {
    project = smallProject();
    project.write(
      'package.json',
      JSON.stringify({ name: 'small', type: 'module', private: true, scripts: { test: 'vitest run' }, devDependencies: { vitest: '*' } }),
    );
    project.write('.gitignore', 'node_modules\n');
    const toVitest = (text: string): string =>
      text
        .replace("import assert from 'node:assert/strict';\n", '')
        .replace("import test from 'node:test';", "import { expect, test } from 'vitest';")
        .replace(/assert\.equal\((.*), ('.*')\)/, 'expect($1).toBe($2)')
        .replace(/assert\.throws\((.*), (\/.*\/)\)/, 'expect($1).toThrow($2)');
    project.write('test/greet.test.js', toVitest(project.read('test/greet.test.js')));
    symlinkSync(join(REPOSITORY, 'node_modules'), join(project.root, 'node_modules'));
    project.git('add', '-A');
    project.git('commit', '-qm', 'Use vitest');
    const replies = (JSON.parse(JSON.stringify(repeated(1))) as TranscriptTurn[]).map((turn) => {
      for (const { input } of turn.calls ?? []) {
        for (const file of (input['files'] as { content?: string }[] | undefined) ?? [])
          if (file.content !== undefined) file.content = toVitest(file.content);
        if (input['command'] !== undefined) input['command'] = 'npx vitest run';
      }
      return turn;
    });
    const engine = writeReplies(project, 'replies.yaml', replies);
    const { code, stdout, stderr } = await project.run('feature', 'farewell', '--brief', BRIEF_TEXT, '--engine', engine);
    expect(stderr).toContain('red, as it should be');
    expect(code).toBe(0);
    expect(stdout).toContain('2 of 2 proven');
  });
});
