import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createProcesses } from '../../src/util/process.ts';

let cwd: string;
beforeAll(async () => {
  cwd = await realpath(await mkdtemp(join(tmpdir(), 'blueprint-command-')));
});
afterAll(() => rm(cwd, { recursive: true, force: true }));

const processes = createProcesses({
  env: {
    PATH: process.env['PATH'],
    HOME: '/nowhere',
    ANTHROPIC_API_KEY: 'sk-1',
    MY_SECRET: 's',
    GIT_DIR: '/elsewhere/.git',
    NODE_TEST_CONTEXT: 'child-v8',
    VITEST_WORKER_ID: '1',
    NPM_CONFIG_REGISTRY: 'http://localhost:4873/',
    PLAIN: 'kept',
  },
});

function bash(script: string, options: { timeout?: number; outputLimit?: number; input?: string; signal?: AbortSignal } = {}) {
  return processes.run({ argv: ['bash', '-c', script], cwd, timeout: 20_000, ...options });
}

/** Command lines of everything on this machine that holds a text. */
async function running(marker: string): Promise<string[]> {
  const { stdout } = await processes.run({ argv: ['ps', '-A', '-o', 'stat=,args='], cwd, timeout: 5000, outputLimit: 4e6 });
  return stdout.split('\n').filter((line) => line.includes(marker) && !line.startsWith('Z'));
}

describe('outcomes', () => {
  test('output, error output and exit code are told apart', async () => {
    const result = await bash('echo out; echo err >&2; exit 3');
    expect(result).toMatchObject({
      stdout: 'out\n',
      stderr: 'err\n',
      exitCode: 3,
      signal: undefined,
      notFound: false,
      timedOut: false,
      bytes: 8,
    });
  });

  test('a command killed by a signal has no exit code', async () => {
    expect(await bash('kill -9 $$')).toMatchObject({ exitCode: undefined, signal: 'SIGKILL', timedOut: false });
  });

  test('a program that does not exist is not found, and the reason is told', async () => {
    const result = await processes.run({ argv: ['no-such-program-here'], cwd, timeout: 1000 });
    expect(result).toMatchObject({ notFound: true, exitCode: undefined, signal: undefined });
    expect(result.stderr).toContain('no-such-program-here could not be started');
  });

  test('a folder that does not exist is not found either', async () => {
    const result = await processes.run({ argv: ['true'], cwd: join(cwd, 'gone'), timeout: 1000 });
    expect(result.notFound).toBe(true);
    expect(result.stderr).toContain('gone');
  });

  test('standard input is empty, or what was given', async () => {
    expect((await bash('cat; echo end')).stdout).toBe('end\n');
    expect((await bash('cat', { input: 'given ✓' })).stdout).toBe('given ✓');
    expect((await bash('exit 0', { input: 'x'.repeat(1e6) })).exitCode).toBe(0);
  });
});

test('keys and redirections are not in the environment, and nothing opens an editor', async () => {
  const { stdout } = await processes.run({ argv: ['env'], cwd, timeout: 5000, env: { ADDED: 'yes' } });
  const names = stdout.split('\n').map((line) => line.split('=')[0]);
  for (const gone of ['ANTHROPIC_API_KEY', 'MY_SECRET', 'GIT_DIR', 'NODE_TEST_CONTEXT', 'VITEST_WORKER_ID'])
    expect(names).not.toContain(gone);
  expect(stdout).toContain('NPM_CONFIG_REGISTRY=http://localhost:4873/\n');
  for (const line of ['PLAIN=kept', 'ADDED=yes', 'GIT_EDITOR=true', 'PAGER=cat', 'GIT_TERMINAL_PROMPT=0', 'CI=1', 'NO_COLOR=1']) {
    expect(stdout).toContain(`${line}\n`);
  }
});

describe('ending', () => {
  test('after a timeout no process of the group is alive, not even one that ignores SIGTERM', async () => {
    const started = performance.now();
    const result = await bash('(sleep 3010; echo) & (trap "" TERM; sleep 3010; sleep 3010) & wait', { timeout: 300 });
    expect(result).toMatchObject({ timedOut: true, exitCode: undefined, signal: 'SIGTERM' });
    expect(await running('sleep 3010')).toEqual([]);
    expect(performance.now() - started).toBeLessThan(2500);
  });

  test('a command that ignores SIGTERM is killed', async () => {
    const result = await bash('trap "" TERM; while :; do sleep 0.05; done', { timeout: 200 });
    expect(result).toMatchObject({ timedOut: true, exitCode: undefined, signal: 'SIGKILL' });
  });

  test('a background process that keeps the pipe open is reported and ended within a second of the exit', async () => {
    const started = performance.now();
    const result = await bash('while :; do echo tick; sleep 0.1; done & sleep 3020 & sleep 0.2; echo front done');
    expect(performance.now() - started).toBeLessThan(1200);
    expect(result.exitCode).toBe(0);
    expect(result.stdout).toContain('front done');
    expect(result.leftBehind).toContain('sleep 3020');
    expect(await running('sleep 3020')).toEqual([]);
  });

  test('a process that left the group and holds the pipe does not hold us', async () => {
    const started = performance.now();
    const result = await bash('setsid sleep 3 & echo done');
    expect(result.stdout).toBe('done\n');
    expect(performance.now() - started).toBeLessThan(1000);
  });

  test('the members of a pipeline that end on their own are not left behind', async () => {
    expect((await bash('yes | head -n 1')).leftBehind).toEqual([]);
  });

  test('an abort ends the group and rejects with its reason', async () => {
    const controller = new AbortController();
    const reason = new Error('stopped by a person');
    setTimeout(() => controller.abort(reason), 150);
    await expect(bash('sleep 3030; sleep 3030', { signal: controller.signal })).rejects.toBe(reason);
    expect(await running('sleep 3030')).toEqual([]);
    await expect(bash('true', { signal: controller.signal })).rejects.toBe(reason);
  });
});

describe('long output', () => {
  test('hundreds of megabytes leave head, tail and a count, and memory stays flat', async () => {
    const before = process.memoryUsage().rss;
    const result = await bash('echo first; yes 0123456789 | head -c 300000000; echo last');
    expect(result.bytes).toBe(300000000 + 11);
    expect(result.stdout.startsWith('first\n0123456789\n')).toBe(true);
    expect(result.stdout.endsWith('last\n')).toBe(true);
    expect(result.stdout).toMatch(/\n\[\.\.\. 29993\d{4} bytes left out \.\.\.\]\n/);
    expect(process.memoryUsage().rss - before).toBeLessThan(150e6);
  });
});
