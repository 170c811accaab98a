import { chmod, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { CommitRefusedError } from '../../src/workspace/git-commit.ts';
import { createProcesses } from '../../src/util/process.ts';
import { findIdentityProblem } from '../../src/workspace/git-identity.ts';
import { createPlace, opened, type Place } from './repository-fixture.ts';

async function refusedCommit(place: Place, paths: string[]): Promise<CommitRefusedError> {
  const error: unknown = await (await opened(place)).commit(paths, 'message').catch((reason: unknown) => reason);
  if (!(error instanceof CommitRefusedError)) throw new Error(`not refused: ${String(error)}`);
  return error;
}

function filesOf(place: Place, commit = 'HEAD'): string[] {
  return place.git('show', '--format=', '--name-status', '--no-renames', commit).trim().split('\n').sort();
}

describe('what is committed', () => {
  test('exactly the paths, and what the person staged, changed and left untracked stays so', async () => {
    const place = await createPlace();
    await place.put('mine.ts', 'mine\n');
    await place.put('gone.ts', 'gone\n');
    place.git('add', '.');
    place.git('commit', '-q', '-m', 'second');
    await place.put('staged.txt', 'staged');
    place.git('add', 'staged.txt');
    await place.put('README.md', 'unstaged');
    await place.put('untracked.txt', 'untracked');
    await place.put('mine.ts', 'changed\n');
    await place.put('deep/new file.ts', 'new\n');
    await rm(join(place.root, 'gone.ts'));

    const id = await (
      await opened(place)
    ).commit(['mine.ts', 'deep/new file.ts', 'gone.ts', 'never-there.ts'], 'subject\n\n# no comment\n\nBlueprint-Run: r1\n');
    expect(id).toBe(place.git('rev-parse', 'HEAD').trim());
    expect(filesOf(place)).toEqual(['A\tdeep/new file.ts', 'D\tgone.ts', 'M\tmine.ts']);
    expect(place.git('log', '-1', '--format=%B')).toContain('# no comment\n\nBlueprint-Run: r1');
    expect(place.git('status', '--porcelain').split('\n').sort()).toEqual(['', ' M README.md', '?? untracked.txt', 'A  staged.txt']);
  });

  test('paths start at the project root, and their signs have no meaning', async () => {
    const place = await createPlace();
    await place.put('app/:x*.ts', '1');
    await place.put('app/xx.ts', '2');
    await (await opened(place, 'app')).commit([':x*.ts'], 'm');
    expect(filesOf(place)).toEqual(['A\tapp/:x*.ts']);
  });

  test('an unborn repository gets its first commit', async () => {
    const place = await createPlace({ commit: false });
    await place.put('a.ts', 'a');
    await place.put('staged.ts', 's');
    place.git('add', 'staged.ts');
    await (await opened(place)).commit(['a.ts'], 'first');
    expect(filesOf(place)).toEqual(['A\ta.ts']);
    expect(place.git('status', '--porcelain')).toBe('A  staged.ts\n');
  });

  test('a deletion the person had staged is committed as one', async () => {
    const place = await createPlace();
    place.git('rm', '-q', 'README.md');
    await (await opened(place)).commit(['README.md'], 'm');
    expect(filesOf(place)).toEqual(['D\tREADME.md']);
  });
});

describe('a refusal', () => {
  async function prepared(options = {}): Promise<Place> {
    const place = await createPlace(options);
    await place.put('staged.txt', 's');
    place.git('add', 'staged.txt');
    await place.put('new.ts', 'new');
    return place;
  }

  function expectUntouched(place: Place): void {
    expect(place.git('status', '--porcelain')).toBe('A  staged.txt\n?? new.ts\n');
  }

  test('carries what a hook said, and the index is as before', async () => {
    const place = await prepared();
    const hook = join(place.root, '.git/hooks/pre-commit');
    await writeFile(hook, '#!/bin/sh\ngit diff --cached --name-only\necho "no commits on Fridays" >&2\nexit 1\n');
    await chmod(hook, 0o755);
    const error = await refusedCommit(place, ['new.ts']);
    expect(error.message).toContain('no commits on Fridays');
    expect(error.message).toContain('new.ts');
    expect(error.message).not.toContain('staged.txt');
    expect(error.exitCode).toBe(3);
    expectUntouched(place);
  });

  test('for a missing identity names the two commands, and sets nothing', async () => {
    const place = await prepared({ identity: false, commit: false });
    place.git('config', 'user.useConfigOnly', 'true');
    const config = place.git('config', '--list', '--local');
    const processes = createProcesses({ env: { PATH: process.env['PATH'], HOME: join(place.root, '../home') } });
    const early = await findIdentityProblem({ root: place.root, processes, env: { GIT_CONFIG_NOSYSTEM: '1' } });
    expect(early?.hint).toMatch(/git config user\.name .* && git config user\.email /);
    const error = await refusedCommit(place, ['new.ts']);
    expect(error.message).toContain('does not know who you are');
    expect(error.hint).toMatch(/git config user\.name .* && git config user\.email /);
    expect(place.git('config', '--list', '--local')).toBe(config);
    expectUntouched(place);
    const own = await place.open('', {
      GIT_AUTHOR_NAME: 'A',
      GIT_AUTHOR_EMAIL: 'a@b.c',
      GIT_COMMITTER_NAME: 'A',
      GIT_COMMITTER_EMAIL: 'a@b.c',
    });
    expect(await own?.commit(['new.ts'], 'by environment')).toMatch(/^[0-9a-f]{40}$/);
  });

  test('for a signature that fails keeps signing on', async () => {
    const place = await prepared();
    place.git('config', 'commit.gpgsign', 'true');
    place.git('config', 'user.signingkey', 'DEADBEEF');
    const error = await refusedCommit(place, ['new.ts']);
    expect(error.message).toMatch(/sign|gpg/);
    expectUntouched(place);
  });

  test('names paths that are ignored, unchanged or nowhere', async () => {
    const place = await prepared();
    await place.put('.git/info/exclude', '*.log\n');
    await place.put('x.log', '');
    expect((await refusedCommit(place, ['new.ts', 'x.log'])).message).toContain('x.log');
    expectUntouched(place);
    expect((await refusedCommit(place, ['README.md'])).message).toMatch(/no(thing| changes) added to commit|nothing to commit/);
    expect((await refusedCommit(place, ['none'])).message).toContain('nothing to commit');
  });

  test('names a file of a repository within ours', async () => {
    const place = await prepared();
    place.git('init', '-q', 'vendor');
    await place.put('vendor/a', 'x');
    place.git('-C', 'vendor', 'add', 'a');
    place.git('-C', 'vendor', 'commit', '-q', '-m', 'v');
    expect((await refusedCommit(place, ['vendor/a'])).message).toContain('vendor');
    expect(place.git('status', '--porcelain')).toBe('A  staged.txt\n?? new.ts\n?? vendor/\n');
  });
});

describe('a lock of the index', () => {
  test('that goes away is waited for', async () => {
    const place = await createPlace();
    await place.put('new.ts', 'new');
    const lock = join(place.root, '.git/index.lock');
    await writeFile(lock, '');
    setTimeout(() => void rm(lock), 600);
    await (await opened(place)).commit(['new.ts'], 'm');
    expect(filesOf(place)).toEqual(['A\tnew.ts']);
  });

  test('that stays is reported with the command that removes it', async () => {
    const place = await createPlace();
    await place.put('README.md', 'changed');
    const lock = join(place.root, '.git/index.lock');
    await writeFile(lock, '');
    const error = await refusedCommit(place, ['README.md']);
    expect(error.message).toContain('Another git holds the index');
    expect(error.hint).toContain(`rm '${lock}'`);
  }, 12_000);
});
