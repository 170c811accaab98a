import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestRun, TestRunner } from '../../src/model/ports.ts';
import type { TestResult } from '../../src/model/test-result.ts';
import { createProcesses } from '../../src/util/process.ts';
import { createTestRunner } from '../../src/workspace/runners/create.ts';

const processes = createProcesses({ env: { PATH: process.env['PATH'], HOME: '/nowhere', NODE_TEST_CONTEXT: 'child-v8' } });
const folders: string[] = [];
afterAll(async () => {
  for (const folder of folders) await rm(folder, { recursive: true, force: true });
});

async function project(files: Record<string, string>): Promise<string> {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'blueprint-runner-')));
  folders.push(root);
  for (const [path, content] of Object.entries({ 'package.json': '{"type":"module"}', ...files })) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), content);
  }
  return root;
}

function of(run: TestRun, file: string): TestResult[] {
  return run.tests.filter((result) => result.file === file);
}

describe('node:test', () => {
  const head = "import test, { describe, it } from 'node:test'; import assert from 'node:assert';\n";
  let root: string;
  let run: TestRun;
  beforeAll(async () => {
    root = await project({
      'm.js': 'export const y = 1;',
      'old.cjs': 'exports.y = 1;',
      'test/missing.test.js': `${head}import { x } from '../src/none.js'; test('a', () => x);`,
      'test/deep.test.js': `${head}import './middle.js'; test('a', () => {});`,
      'test/middle.js': "import '../src/deep-none.js';",
      'test/package.test.js': `${head}import 'no-such-package'; test('a', () => {});`,
      'test/export.test.js': `${head}import { x } from '../m.js'; test('a', () => x);`,
      'test/old-export.test.js': `${head}import { x } from '../old.cjs'; test('a', () => x);`,
      'test/required.test.cjs':
        "console.error('Error: not this one'); const test = require('node:test'); require('../src/none'); test('a', () => {});",
      'test/syntax.test.js': `${head}test('a', () => {`,
      'test/thrown.test.js': "throw new TypeError('boom at the top');",
      'test/zero.test.js': 'export {};',
      'test/exit.test.js': `${head}test('a', () => {}); process.on('exit', () => { process.exitCode = 3; });`,
      'test/named.test.js': `${head}
        describe('suite', () => { describe('inner', () => {
          it('passes', () => {}); it('fails', () => assert.equal(1, 2)); it.skip('skipped'); it.todo('later'); }); });
        test('parent', async (t) => { await t.test('child', () => { throw new Error('child boom'); }); });
        test('loads later', () => import('../src/late.js'));
        test('not missing', () => assert.equal("Cannot find module './z'", ''));
        describe('broken suite', () => { it('never', () => {}); throw new Error('in describe'); });`,
    });
    run = await createTestRunner({ name: 'node:test', why: '' }, { root, processes }).run([], { timeout: 60_000 });
  }, 60_000);

  test('the run keeps its exit code, command and output', () => {
    expect(run).toMatchObject({ command: 'node --test', exitCode: 1, timedOut: false, leftBehind: [] });
    expect(run.output).toContain('child boom');
  });

  test.each([
    ['test/missing.test.js', 'src/none.js'],
    ['test/deep.test.js', 'src/deep-none.js'],
    ['test/package.test.js', 'no-such-package'],
    ['test/export.test.js', 'x'],
    ['test/old-export.test.js', 'x'],
    ['test/required.test.cjs', 'src/none'],
  ])('%s cannot be loaded, as %s is missing', (file, missing) => {
    const results = of(run, file);
    expect(results).toMatchObject([{ file, name: '', status: 'failed', error: { missing } }]);
    expect(results[0]?.error?.message).not.toMatch(/\n\s+at /);
  });

  test.each([
    ['test/syntax.test.js', /^SyntaxError: Unexpected end of input/],
    ['test/thrown.test.js', /^TypeError: boom at the top$/],
  ])('%s cannot be loaded, and nothing is missing', (file, message) => {
    expect(of(run, file)).toEqual([{ file, name: '', status: 'failed', error: { message: expect.stringMatching(message) } }]);
  });

  test('a file without tests has no results, and one that fails after its tests keeps both', () => {
    expect(of(run, 'test/zero.test.js')).toEqual([]);
    expect(of(run, 'test/exit.test.js')).toMatchObject([
      { name: 'a', status: 'passed' },
      { name: '', status: 'failed' },
    ]);
  });

  test('every named test has its full title and status, and suites are no tests', () => {
    expect(of(run, 'test/named.test.js').map(({ name, status, error }) => [name, status, error?.message])).toEqual([
      ['suite inner passes', 'passed', undefined],
      ['suite inner fails', 'failed', expect.stringMatching(/^AssertionError: .*1 == 2|^AssertionError: Expected/)],
      ['suite inner skipped', 'skipped', undefined],
      ['suite inner later', 'skipped', undefined],
      ['parent child', 'failed', 'Error: child boom'],
      ['parent', 'failed', expect.any(String)],
      ['loads later', 'failed', expect.stringContaining('Cannot find module')],
      ['not missing', 'failed', expect.any(String)],
      ['broken suite never', 'failed', expect.any(String)],
      ['broken suite', 'failed', 'Error: in describe'],
    ]);
    const missing = of(run, 'test/named.test.js').map((result) => [result.name, result.error?.missing]);
    expect(missing.filter(([, name]) => name !== undefined)).toEqual([['loads later', 'src/late.js']]);
  });

  test('only the files asked for are run, also when the root is a link', async () => {
    const link = `${root}-link`;
    await symlink(root, link);
    folders.push(link);
    const runner = createTestRunner({ name: 'node:test', why: '' }, { root: link, processes });
    const some = await runner.run(['test/missing.test.js', 'test/exit.test.js'], { timeout: 60_000 });
    expect(some.tests.map((result) => [result.file, result.name])).toEqual([
      ['test/exit.test.js', 'a'],
      ['test/exit.test.js', ''],
      ['test/missing.test.js', ''],
    ]);
    expect(some.command).toBe('node --test test/missing.test.js test/exit.test.js');
  });

  test('arguments and globs of the script are used for the whole suite', async () => {
    const other = await project({
      'setup.js': 'globalThis.prepared = true;',
      'checks/a.js': `${head}test('is prepared', () => assert.ok(globalThis.prepared));`,
      'checks/b.js': `${head}test('b', () => {});`,
      'test/never.test.js': `${head}test('never', () => {});`,
    });
    const found = { name: 'node:test', why: '', nodeArguments: ['--import', './setup.js'], patterns: 'checks/*.js' } as const;
    const whole = await createTestRunner({ ...found, nodeArguments: [...found.nodeArguments] }, { root: other, processes }).run([], {
      timeout: 60_000,
    });
    expect(whole.tests.map((result) => [result.name, result.status])).toEqual([
      ['is prepared', 'passed'],
      ['b', 'passed'],
    ]);
    expect(whole.exitCode).toBe(0);
  });

  test('a test that never ends is ended, and the results so far are kept', async () => {
    const other = await project({
      'test/a.test.js': `${head}test('first', () => {});`,
      'test/b.test.js': `${head}test('hangs', async () => { while (true) await new Promise((r) => setTimeout(r, 50)); });`,
    });
    const hung = await createTestRunner({ name: 'node:test', why: '' }, { root: other, processes }).run([], { timeout: 1500 });
    expect(hung.timedOut).toBe(true);
    expect(of(hung, 'test/a.test.js')).toMatchObject([{ name: 'first', status: 'passed' }]);
  });
});

describe('vitest', () => {
  const head = "import { beforeAll, describe, expect, it, test } from 'vitest';\n";
  let root: string;
  let run: TestRun;
  let runner: TestRunner;
  beforeAll(async () => {
    root = await project({
      'src/m.ts': 'export const y: number = 1;',
      'test/missing.test.ts': `${head}import { x } from '../src/none.ts'; test('a', () => x());`,
      'test/no-ending.test.ts': `${head}import { x } from '../src/none'; test('a', () => x());`,
      'test/deep.test.ts': `${head}import './middle.ts'; test('a', () => {});`,
      'test/middle.ts': "import '../src/deep-none.js';",
      'test/package.test.ts': `${head}import 'no-such-package'; test('a', () => {});`,
      'test/required.test.ts': `${head}import { createRequire } from 'node:module'; createRequire(import.meta.url)('../src/none');`,
      'test/export.test.ts': `${head}import { x } from '../src/m.ts'; test('calls it', () => x());`,
      'test/early.test.ts': `${head}import { x } from '../src/m.ts'; x(); test('a', () => {});`,
      'test/syntax.test.ts': `${head}test('a', () => {`,
      'test/thrown.test.ts': "throw new TypeError('boom at the top');",
      'test/zero.test.ts': 'export {};',
      'test/hook.test.ts': `${head}describe('hooked', () => { beforeAll(() => { throw new Error('hook boom'); }); it('never', () => {}); });`,
      'test/named.test.ts': `${head}
        describe('suite', () => { describe('inner', () => {
          it('passes', () => {}); it('fails', () => { expect(1).toBe(2); }); it.skip('skipped', () => {}); it.todo('later'); }); });
        test('loads later', () => import('../src/late.js'));`,
    });
    await mkdir(join(root, 'node_modules'));
    await symlink(resolve('node_modules/vitest'), join(root, 'node_modules/vitest'));
    runner = createTestRunner({ name: 'vitest', why: '' }, { root, processes });
    run = await runner.run([], { timeout: 60_000 });
  }, 60_000);

  test.each([
    ['test/missing.test.ts', 'src/none.ts'],
    ['test/no-ending.test.ts', 'src/none'],
    ['test/deep.test.ts', 'src/deep-none.js'],
    ['test/package.test.ts', 'no-such-package'],
    ['test/required.test.ts', 'src/none'],
    ['test/early.test.ts', 'x'],
  ])('%s cannot be loaded, as %s is missing', (file, missing) => {
    expect(of(run, file)).toMatchObject([{ file, name: '', status: 'failed', error: { missing } }]);
  });

  test('what a call of a missing export says is understood', () => {
    expect(of(run, 'test/export.test.ts')).toMatchObject([{ name: 'calls it', status: 'failed', error: { missing: 'x' } }]);
  });

  test('files that fail for another reason have one nameless result, without colours', () => {
    for (const [file, message] of [
      ['test/syntax.test.ts', /PARSE_ERROR|Unexpected/],
      ['test/thrown.test.ts', /boom at the top/],
      ['test/zero.test.ts', /No test suite found/],
    ] as const) {
      const [result, ...more] = of(run, file);
      expect(more).toEqual([]);
      expect(result).toMatchObject({ name: '', status: 'failed' });
      expect(result?.error?.message).toMatch(message);
      expect(result?.error).not.toHaveProperty('missing');
      expect(result?.error?.message).not.toContain('\u001b');
    }
    expect(of(run, 'test/hook.test.ts')).toMatchObject([
      { name: '', status: 'failed' },
      { name: 'hooked never', status: 'skipped' },
    ]);
  });

  test('every named test has its full title and status', () => {
    expect(run.exitCode).toBe(1);
    expect(of(run, 'test/named.test.ts').map(({ name, status, error }) => [name, status, error?.message, error?.missing])).toEqual([
      ['suite inner passes', 'passed', undefined, undefined],
      ['suite inner fails', 'failed', 'AssertionError: expected 1 to be 2 // Object.is equality', undefined],
      ['suite inner skipped', 'skipped', undefined, undefined],
      ['suite inner later', 'skipped', undefined, undefined],
      ['loads later', 'failed', expect.stringContaining('Cannot find module'), 'src/late.js'],
    ]);
  });

  test('only the files asked for are run', async () => {
    const some = await runner.run(['test/named.test.ts'], { timeout: 60_000 });
    expect(new Set(some.tests.map((result) => result.file))).toEqual(new Set(['test/named.test.ts']));
    expect(some.command).toBe('vitest run test/named.test.ts');
  });
});
