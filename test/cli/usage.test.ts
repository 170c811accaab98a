import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { cleanEnvironment, REPOSITORY, runCli, type CliResult } from '../helpers/project.ts';

let folder: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'blueprint-cli-')));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const blueprint = (args: string[], input?: string): Promise<CliResult> =>
  runCli(args, { cwd: folder, env: cleanEnvironment(folder), ...(input !== undefined && { input }) });

const WRONG: [args: string[], message: RegExp][] = [
  [['feture', 'x'], /Unknown command 'feture'.*Did you mean feature\?/s],
  [['feature', 'x', '--breif', 'y'], /Unknown option '--breif'.*Did you mean --brief\?/s],
  [['status', '--jsno'], /Did you mean --json\?/],
  [['feature'], /slug/],
  [['feature', 'x', 'y'], /argument/],
  [['feature', 'x', '--brief'], /argument missing/],
  [['feature', 'x', '--brief', ' '], /empty brief/],
  [['feature', 'x', '--engine', ''], /empty value for --engine/],
  [['feature', 'x', '--pause-after', ''], /empty value for --pause-after/],
  [['feature', 'x', '--brief', 'a', '--brief-file', 'b'], /--brief together with --brief-file/],
  [['feature', 'x', '--brief-file', 'none.md'], /none\.md cannot be read/],
  [['feature', 'x', '--brief', 'a', '--engine', 'magic'], /Unexpected engine "magic"/],
  [['feature', '../x', '--brief', 'a'], /Unexpected feature name/],
  [['resume', 'nope'], /There is no feature "nope"/],
  [['status', 'nope'], /There is no feature "nope"/],
  [['resume', 'x', '--new'], /Unknown option '--new'/],
];

describe('wrong use', () => {
  it.each(WRONG)('%j ends with exit 2 and one message', async (args, message) => {
    await blueprint(['init']);
    // With a runner, so that nothing else is wrong.
    const { writeFileSync } = await import('node:fs');
    writeFileSync(join(folder, 'package.json'), '{"scripts":{"test":"node --test"}}');
    const { code, stderr, stdout } = await blueprint(args);
    expect(code).toBe(2);
    expect(stderr).toMatch(message);
    expect(stderr.match(/error:/g)).toHaveLength(1);
    expect(stdout).toBe('');
  });

  it('is one JSON document with --json, and the talk stays on standard error', async () => {
    const { code, stdout } = await blueprint(['status', '--json']);
    expect(code).toBe(2);
    expect(JSON.parse(stdout)).toMatchObject({
      type: 'result',
      ok: false,
      exitCode: 2,
      error: { name: 'UsageError', hint: expect.stringContaining('blueprint init') as string },
    });
  });

  it('of a project without a test runner is told before anything is written', async () => {
    await blueprint(['init']);
    const { code, stderr } = await blueprint(['feature', 'x', '--brief', 'a', '--engine', 'transcript:none.yaml']);
    expect(code).toBe(2);
    expect(stderr).toContain('No test runner');
    expect(() => readFileSync(join(folder, '.blueprint/features/x/brief.md'))).toThrow();
  });
});

describe('blueprint init', () => {
  it('writes what a project starts with, and never overwrites', async () => {
    mkdirSync(join(folder, '.blueprint'));
    const first = await blueprint(['init']);
    expect(first.code).toBe(0);
    expect(first.stdout).toContain('wrote .blueprint/config.yaml');
    const before = readFileSync(join(folder, '.blueprint/SYSTEM_SPEC.md'), 'utf8');
    const second = await blueprint(['init', '--json']);
    expect(JSON.parse(second.stdout)).toMatchObject({
      type: 'result',
      outcome: { written: [], kept: ['.blueprint/config.yaml', '.blueprint/SYSTEM_SPEC.md', '.blueprint/.gitignore'] },
    });
    expect(readFileSync(join(folder, '.blueprint/SYSTEM_SPEC.md'), 'utf8')).toBe(before);
  });
});

describe('blueprint', () => {
  it.each([['--version'], ['-V']])('%s prints the version of the package', async (flag) => {
    const { version } = JSON.parse(readFileSync(join(REPOSITORY, 'package.json'), 'utf8')) as { version: string };
    expect(await blueprint([flag])).toMatchObject({ code: 0, stdout: `${version}\n` });
  });

  it('--help names every command', async () => {
    const { code, stdout } = await blueprint(['--help']);
    expect(code).toBe(0);
    for (const name of ['init', 'feature', 'resume', 'status', 'context']) expect(stdout).toContain(name);
  });

  it('writes no escape code and no carriage return into a pipe', async () => {
    const { stdout, stderr } = await blueprint(['feature', '--help']);
    expect(`${stdout}${stderr}`).not.toMatch(/\p{Cc}(?<!\n)/u);
  });
});
