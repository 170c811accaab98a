import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { UsageError } from '../../src/errors.ts';
import { detectStack } from '../../src/workspace/stack.ts';

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'blueprint-stack-'));
  await mkdir(join(root, '.git'));
});
afterEach(() => rm(root, { recursive: true, force: true }));

async function detect(content: object, folder = '') {
  await mkdir(join(root, folder), { recursive: true });
  await writeFile(join(root, folder, 'package.json'), JSON.stringify(content));
  return detectStack({ root: join(root, folder) });
}

test('without a package.json nothing is known, and it is said', async () => {
  expect(await detectStack({ root })).toMatchObject({
    language: undefined,
    runner: undefined,
    commands: [],
    noRunner: expect.stringContaining('no package.json'),
  });
});

test('a broken package.json is wrong use, with its place', async () => {
  await writeFile(join(root, 'package.json'), '{"scripts": ');
  await expect(detectStack({ root })).rejects.toMatchObject({ name: UsageError.name, place: join(root, 'package.json') });
  await writeFile(join(root, 'package.json'), '[]');
  await expect(detectStack({ root })).rejects.toThrow('holds no object');
});

describe('the runner', () => {
  test.each([
    ['vitest run', 'vitest'],
    ['tsc && vitest run --coverage', 'vitest'],
    ['node --test', 'node:test'],
  ])('of the script "%s" is %s', async (script, name) => {
    const { runner } = await detect({ scripts: { test: script } });
    expect(runner).toMatchObject({ name, why: `scripts.test is "${script}"` });
  });

  test.each([
    ['node --import tsx --test "test/**/*.test.ts"', ['--import', 'tsx'], '"test/**/*.test.ts"'],
    ['tsx --test test/*.ts', ['--import', 'tsx'], 'test/*.ts'],
    [
      'node --test --watch --experimental-test-coverage --test-reporter spec --test-concurrency=1 a.js b.js',
      ['--test-concurrency=1'],
      'a.js b.js',
    ],
  ])('of "%s" takes over arguments and patterns', async (script, nodeArguments, patterns) => {
    expect((await detect({ scripts: { test: script } })).runner).toMatchObject({ name: 'node:test', nodeArguments, patterns });
  });

  test('is found by the dependency when there is no script', async () => {
    expect((await detect({ devDependencies: { vitest: '4' } })).runner).toMatchObject({ name: 'vitest', why: 'vitest is a dependency' });
  });

  test.each([
    [{ scripts: { test: 'jest --ci' } }, /jest/],
    [{ devDependencies: { jest: '30' } }, /jest/],
    [{ scripts: { test: 'mocha' } }, /mocha/],
    [{ scripts: { test: 'node --test && node other.js' } }, /no known test runner/],
    [{}, /no test script/],
  ])('of %j is unknown, with the reason', async (content, reason) => {
    const stack = await detect(content);
    expect(stack.runner).toBeUndefined();
    expect(stack.noRunner).toMatch(reason);
  });
});

test('scripts that check become verification commands in order, with the package manager of the project', async () => {
  await writeFile(join(root, 'pnpm-lock.yaml'), '');
  const scripts = { build: 'tsc -b', lint: 'oxlint', 'type-check': 'tsc --noEmit', test: 'node --test', start: 'node .' };
  const stack = await detect({ scripts, devDependencies: { typescript: '7' } }, 'packages/app');
  expect(stack.language).toBe('typescript');
  expect(stack.packageManager).toMatchObject({ name: 'pnpm' });
  expect(stack.commands.map((command) => command.argv)).toEqual([
    ['pnpm', 'run', 'type-check'],
    ['pnpm', 'run', 'lint'],
    ['pnpm', 'run', 'build'],
  ]);
  expect(stack.commands[0]?.why).toBe('scripts.type-check is "tsc --noEmit"');
});

test('a script that watches is not run, and unreadable tests run as a command', async () => {
  const stack = await detect({ packageManager: 'yarn@4.1.0', scripts: { build: 'tsc --watch', test: 'mocha' } });
  expect(stack.language).toBe('javascript');
  expect(stack.commands.map((command) => command.argv)).toEqual([['yarn', 'run', 'test']]);
  expect((await detect({ scripts: { test: 'echo "Error: no test specified" && exit 1' } })).commands).toEqual([]);
});
