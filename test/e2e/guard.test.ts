import { existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { journalsOf, type TestProject, type TranscriptTurn } from '../helpers/project.ts';
import { repeated, runSmall, smallProject } from '../helpers/small.ts';

let project: TestProject;
afterEach(() => project.remove());

/** The developer first makes these calls, then does the work. */
function developerFirst(calls: TranscriptTurn['calls']): TranscriptTurn[] {
  return repeated(1).flatMap((turn) => {
    if (turn.stage !== 'implement') return [turn];
    return turn.turn === 1
      ? [
          { ...turn, calls: calls ?? [] },
          { ...turn, turn: 2 },
        ]
      : [{ ...turn, turn: 3 }];
  });
}

/** What the model was told for the n-th call of the developer's first turn. */
function answer(index: number): string {
  const events = journalsOf(project.root).at(-1) ?? [];
  const run = String(events[0]?.data['run']);
  const ends = events.filter(({ type, data }) => type === 'tool-end' && data['step'] === 'implement' && data['turn'] === 1);
  const digest = String(ends[index]?.data['output']).replace('sha256:', '');
  return readFileSync(join(project.root, '.blueprint', 'runs', run, 'blobs', digest), 'utf8');
}

describe('a developer that', () => {
  it('edits a protected test by a tool is refused, told so, and the test stays', async () => {
    project = smallProject();
    const { code } = await runSmall(
      project,
      developerFirst([
        { tool: 'edit_file', input: { path: 'test/farewell.test.js', oldText: 'Goodbye', newText: 'Bye' } },
        { tool: 'write_file', input: { path: 'test/farewell.test.js', content: '' } },
      ]),
    );
    expect(code).toBe(0);
    expect(answer(0)).toContain('protected test');
    expect(answer(1)).toContain('protected test');
    expect(project.read('test/farewell.test.js')).toContain('Goodbye, Ada!');
  });

  it('edits a protected test by a command fails the attempt; the test is restored and the copy kept', async () => {
    project = smallProject();
    const { code, stderr } = await runSmall(
      project,
      developerFirst([{ tool: 'run_command', input: { command: 'echo "" > test/farewell.test.js' } }]),
    );
    expect(code).toBe(1);
    expect(stderr).toContain('test/farewell.test.js');
    expect(project.read('test/farewell.test.js')).toContain('Goodbye, Ada!');
    const changed = (journalsOf(project.root)[0] ?? []).find(({ type }) => type === 'protected-changed');
    expect(readFileSync(String(changed?.data['kept']), 'utf8')).toBe('\n');
  });

  it('removes a protected test by a command fails the attempt and the test is restored', async () => {
    project = smallProject();
    const { code } = await runSmall(project, developerFirst([{ tool: 'run_command', input: { command: 'rm test/farewell.test.js' } }]));
    expect(code).toBe(1);
    expect(project.read('test/farewell.test.js')).toContain('Goodbye, Ada!');
  });

  it('writes code that changes its own test while it runs is caught by the test run', async () => {
    project = smallProject();
    const evil =
      "import { writeFileSync } from 'node:fs';\nwriteFileSync(new URL('../test/farewell.test.js', import.meta.url), '');\nexport const farewell = (name) => { if (!name) throw new Error('name'); return `Goodbye, ${name}!`; };\n";
    const replies = repeated(1).map((turn) =>
      turn.stage === 'implement' && turn.turn === 1
        ? { ...turn, calls: [{ tool: 'write_file', input: { path: 'src/farewell.js', content: evil } }] }
        : turn,
    );
    const { code, stderr } = await runSmall(project, replies);
    expect(code).toBe(1);
    expect(stderr).toContain('protected test');
    expect(project.read('test/farewell.test.js')).toContain('Goodbye, Ada!');
  });

  it.each([
    ['../outside.txt'],
    ['/tmp/blueprint-outside.txt'],
    ['link/outside.txt'],
    ['.git/hooks/pre-commit'],
    ['.blueprint/runs/x'],
    ['.env'],
  ])('writes to %s is refused and nothing is there', async (path) => {
    project = smallProject();
    mkdirSync(join(dirname(project.root), 'beside'));
    symlinkSync(join(dirname(project.root), 'beside'), join(project.root, 'link'));
    project.git('add', 'link');
    project.git('commit', '-qm', 'link');
    expect((await runSmall(project, developerFirst([{ tool: 'write_file', input: { path, content: 'x' } }]))).code).toBe(0);
    expect(existsSync(join(project.root, path))).toBe(false);
    expect(answer(0)).not.toMatch(/^Wrote/);
  });

  it('leaves a background process is told its name, and the process is gone', async () => {
    project = smallProject();
    expect((await runSmall(project, developerFirst([{ tool: 'run_command', input: { command: 'sleep 301 & echo started' } }]))).code).toBe(
      0,
    );
    expect(answer(0)).toContain('sleep 301');
    const { execFileSync } = await import('node:child_process');
    const pids = execFileSync(
      'sh',
      ['-c', 'for f in /proc/[0-9]*/cmdline; do tr "\\0" " " < $f 2>/dev/null | grep -x "sleep 301 " || true; done'],
      { encoding: 'utf8' },
    );
    expect(pids.trim()).toBe('');
  });

  it('makes files by a command has them in the commit', async () => {
    project = smallProject();
    expect(
      (await runSmall(project, developerFirst([{ tool: 'run_command', input: { command: 'echo generated > src/generated.txt' } }]))).code,
    ).toBe(0);
    expect(project.git('show', '--name-only', '--format=', 'HEAD')).toContain('src/generated.txt');
  });

  it('uses a tool or a submission that is not its own is refused by name and goes on', async () => {
    project = smallProject();
    const replies = repeated(1).flatMap((turn) =>
      turn.stage === 'spec'
        ? [
            {
              ...turn,
              calls: [
                { tool: 'run_command', input: { command: 'ls' } },
                { tool: 'submit_story', input: {} },
                { tool: 'fly', input: {} },
              ],
            },
            { ...turn, turn: 2, expect: ['may not use run_command', 'belongs to another stage', 'no tool "fly"'] },
          ]
        : [turn],
    );
    expect((await runSmall(project, replies, '--pause-after', 'spec')).code).toBe(0);
  });
});
