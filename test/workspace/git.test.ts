import { chown, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { PersonNeededError } from '../../src/errors.ts';
import { createProcesses } from '../../src/util/process.ts';
import { openRepository } from '../../src/workspace/git.ts';
import { createPlace, opened } from './repository-fixture.ts';

const bytes = (text: string) => new TextEncoder().encode(text);

describe('opening', () => {
  test('there is no repository outside of one, in a bare one, and without git', async () => {
    const place = await createPlace({ init: false });
    expect(await place.open()).toBeUndefined();
    place.git('init', '-q', '--bare', 'bare.git');
    expect(await place.open('bare.git')).toBeUndefined();
    const processes = createProcesses({ env: { PATH: '/nowhere' } });
    expect(await openRepository({ root: place.root, processes })).toBeUndefined();
  });

  test.skipIf(process.getuid?.() !== 0)('a repository of another user is named with the command that trusts it', async () => {
    const place = await createPlace();
    await chown(place.root, 12345, 12345);
    await chown(join(place.root, '.git'), 12345, 12345);
    const error: unknown = await place.open().catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(PersonNeededError);
    expect(error).toMatchObject({ hint: expect.stringContaining(`git config --global --add safe.directory ${place.root}`) });
  });

  test('what a hook left in the environment does not lead elsewhere', async () => {
    const place = await createPlace();
    const repository = await place.open('', { GIT_DIR: '/elsewhere/.git', GIT_INDEX_FILE: '/tmp/no-index', LANG: 'de_DE.UTF-8' });
    expect(repository?.root).toBe(place.root);
    expect(await repository?.head()).toBe(place.git('rev-parse', 'HEAD').trim());
    expect(await repository?.dirtyPaths()).toEqual([]);
  });
});

describe('HEAD', () => {
  test('an unborn repository has a branch and no commit', async () => {
    const repository = await opened(await createPlace({ commit: false }));
    expect(await repository.head()).toBeNull();
    expect(await repository.branch()).toBe('main');
    expect(await repository.findByTrailer('Blueprint-Run', 'r1')).toBeUndefined();
    expect(await repository.sameAsHead('x', undefined)).toBe(true);
    expect(await repository.sameAsHead('x', bytes(''))).toBe(false);
  });

  test('a detached HEAD has a commit and no branch', async () => {
    const place = await createPlace();
    place.git('checkout', '-q', '--detach');
    const repository = await opened(place);
    expect(await repository.head()).toMatch(/^[0-9a-f]{40}$/);
    expect(await repository.branch()).toBeNull();
  });
});

describe('paths', () => {
  test('staged, unstaged and untracked paths are dirty, by their real names, from the project root', async () => {
    const place = await createPlace();
    await place.put('app/old name.ts', 'x\n');
    await place.put('app/gone.ts', 'y\n');
    place.git('add', '.');
    place.git('commit', '-q', '-m', 'second');
    place.git('mv', 'app/old name.ts', 'app/néw.ts');
    await rm(join(place.root, 'app/gone.ts'));
    await place.put('app/deep/new "file".ts', 'z');
    await place.put('outside.txt', '');
    const inApp = await opened(place, 'app');
    expect((await inApp.dirtyPaths()).sort()).toEqual(['deep/new "file".ts', 'gone.ts', 'néw.ts', 'old name.ts']);
    expect(await (await opened(place)).dirtyPaths()).toContain('outside.txt');
  });

  test('a repository within ours is named, and the dirt inside a submodule is its own', async () => {
    const place = await createPlace();
    await mkdir(join(place.root, 'vendor'));
    place.git('init', '-q', 'vendor');
    await place.put('vendor/a', 'x');
    const repository = await opened(place);
    expect(await repository.dirtyPaths()).toEqual(['vendor']);
    place.git('-C', 'vendor', 'add', 'a');
    place.git('-C', 'vendor', 'commit', '-q', '-m', 'v');
    place.git('-c', 'advice.addEmbeddedRepo=false', 'add', 'vendor');
    place.git('commit', '-q', '-m', 'link');
    await place.put('vendor/a', 'changed');
    expect(await repository.dirtyPaths()).toEqual([]);
  });

  test('ignored paths are told from others, tracked ones included', async () => {
    const place = await createPlace();
    await place.put('.gitignore', 'dist/\n*.log\n');
    await place.put('app/kept.log', '');
    place.git('add', '-f', '.gitignore', 'app/kept.log');
    const repository = await opened(place, 'app');
    expect(await repository.ignored(['dist/x.js', 'a.log', 'kept.log', 'a.ts', ':x', ':x.log'])).toEqual(['dist/x.js', 'a.log', ':x.log']);
    expect(await repository.ignored(['a.ts'])).toEqual([]);
    expect(await repository.ignored([])).toEqual([]);
  });

  test('bytes are compared with HEAD as git would store them', async () => {
    const place = await createPlace();
    place.git('config', 'core.autocrlf', 'true');
    const repository = await opened(place);
    expect(await repository.sameAsHead('README.md', bytes('first\n'))).toBe(true);
    expect(await repository.sameAsHead('README.md', bytes('first\r\n'))).toBe(true);
    expect(await repository.sameAsHead('README.md', bytes('other\n'))).toBe(false);
    expect(await repository.sameAsHead('README.md', undefined)).toBe(false);
    expect(await repository.sameAsHead('none', undefined)).toBe(true);
    expect(await repository.sameAsHead('none', bytes('x'))).toBe(false);
  });
});

describe('startBranch', () => {
  test('a new branch takes HEAD along, and neither index nor work tree notices', async () => {
    const place = await createPlace();
    await place.put('README.md', 'changed\n');
    await place.put('staged.txt', 's');
    place.git('add', 'staged.txt');
    const before = place.git('status', '--porcelain');
    const repository = await opened(place);
    expect(await repository.startBranch('login')).toBe('blueprint/login');
    expect(place.git('symbolic-ref', 'HEAD').trim()).toBe('refs/heads/blueprint/login');
    expect(place.git('rev-parse', 'main')).toBe(place.git('rev-parse', 'HEAD'));
    expect(place.git('status', '--porcelain')).toBe(before);
    expect(await repository.startBranch('login')).toBe('blueprint/login');
  });

  test('a branch that stands elsewhere is not moved: the next number is taken, and stayed on', async () => {
    const place = await createPlace();
    place.git('branch', 'blueprint/login');
    place.git('branch', 'blueprint/logins');
    place.git('commit', '-q', '--allow-empty', '-m', 'on');
    const old = place.git('rev-parse', 'blueprint/login');
    const repository = await opened(place);
    expect(await repository.startBranch('login')).toBe('blueprint/login-2');
    expect(await repository.startBranch('login')).toBe('blueprint/login-2');
    expect(place.git('rev-parse', 'blueprint/login')).toBe(old);
  });

  test('a branch at the same commit is used, unless another work tree has it', async () => {
    const place = await createPlace();
    place.git('branch', 'blueprint/a');
    place.git('branch', 'blueprint/b');
    place.git('worktree', 'add', '-q', '../other', 'blueprint/b');
    const repository = await opened(place);
    expect(await repository.startBranch('a')).toBe('blueprint/a');
    expect(await repository.startBranch('b')).toBe('blueprint/b-2');
  });

  test.each(['blueprint', 'blueprint/login/extra'])('a branch %s that blocks the name leads to a flat one', async (blocking) => {
    const place = await createPlace();
    place.git('branch', blocking);
    expect(await (await opened(place)).startBranch('login')).toBe('blueprint-login');
  });

  test('works unborn and detached', async () => {
    const unborn = await createPlace({ commit: false });
    await unborn.put('x', 'x');
    unborn.git('add', 'x');
    expect(await (await opened(unborn)).startBranch('login')).toBe('blueprint/login');
    expect(unborn.git('status', '--porcelain')).toBe('A  x\n');
    const detached = await createPlace();
    detached.git('checkout', '-q', '--detach');
    expect(await (await opened(detached)).startBranch('login')).toBe('blueprint/login');
    expect(await (await opened(detached)).branch()).toBe('blueprint/login');
  });

  test('a merge under way is left alone', async () => {
    const place = await createPlace();
    place.git('checkout', '-q', '-b', 'side');
    place.git('commit', '-q', '--allow-empty', '-m', 'side');
    place.git('checkout', '-q', 'main');
    place.git('commit', '-q', '--allow-empty', '-m', 'main');
    place.git('merge', '-q', '--no-commit', '--no-ff', 'side');
    await expect((await opened(place)).startBranch('login')).rejects.toThrow(/A merge is under way/);
    expect(place.git('symbolic-ref', '--short', 'HEAD')).toBe('main\n');
  });
});

test('a commit is found by its trailer, and not by text that looks like one', async () => {
  const place = await createPlace();
  place.git('commit', '-q', '--allow-empty', '-m', 'one\n\nBlueprint-Run: r1\nBlueprint-Feature: login');
  const first = place.git('rev-parse', 'HEAD').trim();
  place.git('commit', '-q', '--allow-empty', '-m', 'two\n\nBlueprint-Run: r10');
  place.git('commit', '-q', '--allow-empty', '-m', 'three\n\nIt had Blueprint-Run: r1 in it.\n\nAnd no trailer');
  const repository = await opened(place);
  expect(await repository.findByTrailer('Blueprint-Run', 'r1')).toBe(first);
  expect(await repository.findByTrailer('Blueprint-Run', 'r2')).toBeUndefined();
});
