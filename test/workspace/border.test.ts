import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createBorder } from '../../src/workspace/border.ts';

let base: string;
let root: string;
beforeAll(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), 'blueprint-border-')));
  root = join(base, 'ws');
  await mkdir(join(root, 'in/deep'), { recursive: true });
  await mkdir(join(base, 'out'));
  await mkdir(join(base, 'ws-sibling'));
  await writeFile(join(base, 'out/s.txt'), 'secret');
  await writeFile(join(root, 'in/a.txt'), 'a');
  await symlink(join(base, 'out'), join(root, 'box'));
  await symlink('in', join(root, 'ok'));
  await symlink(root, join(base, 'ws-link'));
  await symlink(join(base, 'out/new.txt'), join(root, 'note.txt'));
  await symlink('hop.txt', join(root, 'hops.txt'));
  await symlink('../out/new.txt', join(root, 'hop.txt'));
  await symlink('in/new.txt', join(root, 'fresh.txt'));
  await symlink('round-b', join(root, 'round-a'));
  await symlink('round-a', join(root, 'round-b'));
  await symlink('.env', join(root, 'settings'));
  await symlink('in/a.txt', join(root, 'x.pem'));
});
afterAll(() => rm(base, { recursive: true, force: true }));

const border = (options = {}) => createBorder({ root, ...options });

describe('where a path leads', () => {
  test('a path inside comes back canonical, through links that stay inside', async () => {
    expect(await border().resolve('ok/a.txt', 'read')).toEqual({ absolute: join(root, 'in/a.txt'), relative: 'in/a.txt' });
    expect(await border().resolve('fresh.txt', 'write')).toEqual({ absolute: join(root, 'in/new.txt'), relative: 'in/new.txt' });
    expect((await border().resolve('new/folder/x.ts', 'write')).relative).toBe('new/folder/x.ts');
    expect((await border().resolve('.', 'read')).relative).toBe('');
  });

  test('a root that is a link itself works, with relative paths and both kinds of absolute ones', async () => {
    const linked = createBorder({ root: join(base, 'ws-link') });
    for (const path of ['in/a.txt', join(base, 'ws-link/in/a.txt'), join(root, 'in/a.txt')]) {
      expect((await linked.resolve(path, 'read')).relative).toBe('in/a.txt');
    }
  });

  test.each([
    'box/s.txt',
    'box',
    'box/new/file',
    'note.txt',
    'hops.txt',
    '../out/s.txt',
    'in/../../out/s.txt',
    '/etc/passwd',
    '../ws-sibling/x',
  ])('%s is refused for reading and writing', async (path) => {
    for (const intent of ['read', 'write'] as const) {
      await expect(border().resolve(path, intent)).rejects.toThrow(/Refused to .*outside the project/);
    }
  });

  test('a circle of links is refused', async () => {
    await expect(border().resolve('round-a', 'read')).rejects.toThrow(/ELOOP/);
  });

  test('backslashes and file: URLs are understood', async () => {
    expect((await border().resolve('in\\deep\\x.ts', 'write')).relative).toBe('in/deep/x.ts');
    expect((await border().resolve(pathToFileURL(join(root, 'in/a.txt')).href, 'read')).relative).toBe('in/a.txt');
    await expect(border().resolve('..\\out\\s.txt', 'read')).rejects.toThrow(/outside/);
    await expect(border().resolve('file://other-host/x', 'read')).rejects.toThrow(/file: URL/);
  });

  test.each([
    ['a\0b', /NUL/],
    ['x/'.repeat(3000), /too long/],
    ['n'.repeat(256), /too long/],
    ['~/x', /not expanded/],
  ])('path %# is refused with its reason', async (path, reason) => {
    await expect(border().resolve(path, 'read')).rejects.toThrow(reason);
  });
});

describe('off limits', () => {
  test.each([
    '.git/config',
    '.GIT/hooks/x',
    'vendor/.git',
    '.g\u200cit/config',
    '.blueprint/runs/1/journal.jsonl',
    '.Blueprint/LOCKS/x',
    '.env',
    'apps/.ENV.local',
    'certs/server.pem',
    'tls.key',
    'id_rsa',
    'id_rsa.pub',
    '.npmrc',
    '.netrc',
    'home/.aws/config',
    '.ssh/known_hosts',
    'settings',
    'x.pem',
  ])('%s can be neither read nor written', async (path) => {
    await expect(border().resolve(path, 'read')).rejects.toMatchObject({ name: 'BorderError' });
    await expect(border().resolve(path, 'write')).rejects.toMatchObject({ name: 'BorderError' });
  });

  test.each([
    '.env.example',
    '.env.sample',
    '.env.template',
    'src/keys.ts',
    'monkey.ts',
    '.gitignore',
    '.github/x.yml',
    '.blueprint/config.json',
    'environment.env.ts',
  ])('%s is as open as any file', async (path) => {
    expect((await border().resolve(path, 'write')).relative).toBe(path);
  });

  test('artifacts can be read and not written', async () => {
    const path = '.blueprint/features/feature_login/FEATURE_SPEC.md';
    expect((await border().resolve(path, 'read')).relative).toBe(path);
    await expect(border().resolve(path, 'write')).rejects.toThrow(/handed in with a submit tool/);
  });
});

describe('options', () => {
  test('a protected test can be read and not written', async () => {
    const guarded = border({ protectedPaths: () => ['in/a.txt'] });
    expect((await guarded.resolve('in/a.txt', 'read')).relative).toBe('in/a.txt');
    await expect(guarded.resolve('ok/a.txt', 'write')).rejects.toThrow(/is a protected test/);
    await expect(guarded.resolve('IN/A.txt', 'write')).rejects.toThrow(/is a protected test/);
  });

  test('a role writes only what its globs allow, and the message lists them', async () => {
    const narrow = border({ mayTouch: ['src/**', 'package.json'] });
    expect((await narrow.resolve('src/deep/.hidden/x.ts', 'write')).relative).toBe('src/deep/.hidden/x.ts');
    expect((await narrow.resolve('in/a.txt', 'read')).relative).toBe('in/a.txt');
    await expect(narrow.resolve('in/a.txt', 'write')).rejects.toThrow('may write only src/**, package.json');
    await expect(border({ mayTouch: [] }).resolve('in/a.txt', 'write')).rejects.toThrow('may write only nothing');
  });

  test('what the project denies is closed, also through a link', async () => {
    const denying = border({ deny: ['in/**'] });
    await expect(denying.resolve('ok/a.txt', 'read')).rejects.toThrow(/this project denies it/);
    expect((await denying.resolve('other.txt', 'read')).relative).toBe('other.txt');
  });
});
