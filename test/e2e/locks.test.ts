import { afterEach, describe, expect, it } from 'vitest';
import { journalsOf, writeReplies, type TestProject, type TranscriptTurn } from '../helpers/project.ts';
import { BRIEF_TEXT, repeated, runSmall, smallProject } from '../helpers/small.ts';

let project: TestProject;
afterEach(() => project.remove());

/** The same feature under other names, so that it can run beside the first in one checkout. */
function renamed(replies: TranscriptTurn[]): TranscriptTurn[] {
  return JSON.parse(
    JSON.stringify(replies).replaceAll('farewell', 'parting').replaceAll('Farewell', 'Parting').replaceAll('Say farewell', 'Say parting'),
  ) as TranscriptTurn[];
}

function slow(replies: TranscriptTurn[], stage: string, delay: number): TranscriptTurn[] {
  return replies.map((turn) => (turn.stage === stage ? { ...turn, delay } : turn));
}

async function until(condition: () => boolean): Promise<void> {
  for (let round = 0; round < 200 && !condition(); round += 1) await new Promise((resolve) => setTimeout(resolve, 50));
}

describe('two runs at once', () => {
  it('of one feature: the second ends with exit 5 and names the process of the first', async () => {
    project = smallProject();
    const first = runSmall(project, slow(repeated(1), 'spec', 2500));
    await until(() => journalsOf(project.root).length > 0);
    const second = await project.run('resume', 'farewell');
    expect(second.code).toBe(5);
    expect(second.stderr).toMatch(/process \d+ on /);
    expect((await first).code).toBe(0);
  });

  it('of two features in one checkout: the second waits, says so, and both finish', { timeout: 90_000 }, async () => {
    project = smallProject();
    const first = runSmall(project, slow(repeated(1), 'plan', 2500));
    await until(() => (journalsOf(project.root)[0] ?? []).some(({ type, data }) => type === 'attempt-start' && data['step'] === 'plan'));
    const engine = writeReplies(project, 'other.yaml', renamed(repeated(1)));
    const second = await project.run('feature', 'parting', '--brief', BRIEF_TEXT, '--engine', engine);
    expect((await first).code).toBe(0);
    expect(second.stderr).toContain('waiting: feature farewell');
    expect(second.code).toBe(0);
    expect(project.git('rev-list', '--count', 'HEAD').trim()).toBe('3');
  });

  it('of two features: one paused with uncommitted files keeps the checkout, and the other ends with exit 5 and the way out', async () => {
    project = smallProject();
    await runSmall(project, repeated(1), '--pause-after', 'implement');
    const engine = writeReplies(project, 'other.yaml', renamed(repeated(1)));
    const second = await project.run('feature', 'parting', '--brief', BRIEF_TEXT, '--engine', engine);
    expect(second.code).toBe(5);
    expect(second.stderr).toContain('git worktree add');
    expect((await project.run('resume', 'farewell')).code).toBe(0);
    expect((await project.run('resume', 'parting')).code).toBe(0);
  });

  it('a signal ends the run with exit 130 within five seconds, and resume goes on', async () => {
    project = smallProject();
    const { spawn } = await import('node:child_process');
    const { BIN } = await import('../helpers/project.ts');
    const engine = writeReplies(project, 'replies.yaml', slow(repeated(1), 'stories', 30_000));
    const child = spawn(process.execPath, [BIN, 'feature', 'farewell', '--brief', BRIEF_TEXT, '--engine', engine], {
      cwd: project.root,
      env: project.env,
    });
    let stderr = '';
    child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
    await until(() => (journalsOf(project.root)[0] ?? []).some(({ type, data }) => type === 'attempt-start' && data['step'] === 'stories'));
    const at = Date.now();
    child.kill('SIGINT');
    const code = await new Promise((resolve) => child.on('close', resolve));
    expect(code).toBe(130);
    expect(Date.now() - at).toBeLessThan(5000);
    expect(stderr).toContain('blueprint resume farewell');
    writeReplies(project, 'replies.yaml', repeated(1));
    expect((await project.run('resume', 'farewell')).code).toBe(0);
  });
});
