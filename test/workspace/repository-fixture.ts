import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach } from 'vitest';
import type { Repository } from '../../src/model/ports.ts';
import { createProcesses } from '../../src/util/process.ts';
import { openRepository } from '../../src/workspace/git.ts';

/** A folder with a private home, in which a test plays the person who works with git. */
export interface Place {
  root: string;
  git(...argumentsOf: string[]): string;
  put(path: string, content: string): Promise<void>;
  open(folder?: string, env?: Record<string, string>): Promise<Repository | undefined>;
}

const folders: string[] = [];
afterEach(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true });
});

export async function createPlace(options: { identity?: boolean; init?: boolean; commit?: boolean } = {}): Promise<Place> {
  const base = await realpath(await mkdtemp(join(tmpdir(), 'blueprint-git-')));
  folders.push(base);
  const root = join(base, 'project');
  const home = join(base, 'home');
  await mkdir(root);
  await mkdir(home);
  const env = { PATH: process.env['PATH'] ?? '', HOME: home, GIT_CONFIG_NOSYSTEM: '1' };
  const git = (...argumentsOf: string[]) =>
    execFileSync('git', argumentsOf, { cwd: root, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  const put = async (path: string, content: string) => {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), content);
  };
  if (options.init !== false) git('init', '-q', '-b', 'main');
  if (options.identity !== false) {
    git('config', '--global', 'user.name', 'Test Person');
    git('config', '--global', 'user.email', 'person@example.com');
  }
  if (options.init !== false && options.commit !== false) {
    await put('README.md', 'first\n');
    git('add', '.');
    git('commit', '-q', '-m', 'first');
  }
  return {
    root,
    git,
    put,
    open: (folder = '', more = {}) => {
      const whole = { ...env, ...more };
      return openRepository({ root: join(root, folder), processes: createProcesses({ env: whole }), env: whole });
    },
  };
}

export async function opened(place: Place, folder = ''): Promise<Repository> {
  const repository = await place.open(folder);
  if (repository === undefined) throw new Error('no repository');
  return repository;
}
