import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PersonNeededError } from '../errors.ts';
import type { Processes, Repository } from '../model/ports.ts';
import type { Environment } from '../util/environment.ts';
import { startBranch } from './git-branch.ts';
import { commitPaths } from './git-commit.ts';
import { createGit, GitError, literalPathspec, splitNul, textOf, type Git } from './git-command.ts';

export interface RepositoryOptions {
  /** Absolute path of the project root: the top of the work tree or a folder below it. */
  root: string;
  processes: Processes;
  /** The environment of this process, asked only for the person's identity and the place of their git configuration. */
  env?: Environment;
}

/**
 * The repository around a project; `undefined` outside of a work tree and without git. Throws `PersonNeededError` when
 * git does not trust the owner of the folder, and `GitError` when it fails for a reason of its own.
 */
export async function openRepository({ root, processes, env = {} }: RepositoryOptions): Promise<Repository | undefined> {
  const place = await createGit({ folder: root, processes, env }).call([
    'rev-parse',
    '--is-inside-work-tree',
    '--show-toplevel',
    '--show-prefix',
  ]);
  if (place.notFound) return undefined;
  if (place.exitCode !== 0) return explainFailure(root, textOf(place));
  const [isInside, top, prefix] = place.stdout.split('\n');
  if (isInside !== 'true' || top === undefined || prefix === undefined) return undefined;
  return repositoryAt(createGit({ folder: top, processes, env }), prefix);
}

function explainFailure(root: string, text: string): undefined {
  if (/not a git repository|must be run in a work tree/.test(text)) return undefined;
  if (text.includes('dubious ownership')) {
    const command = /git config --global --add safe\.directory .+/.exec(text)?.[0];
    throw new PersonNeededError(`The git repository around ${root} belongs to another user, so git does not open it.`, {
      hint: `If you trust it: ${command ?? `git config --global --add safe.directory '${root}'`}`,
    });
  }
  throw new GitError(`git cannot open the repository around ${root}: ${text}`);
}

/** `prefix` leads from the top to the project root, with a slash at its end, or is empty. */
function repositoryAt(git: Git, prefix: string): Repository {
  const fromTop = (path: string) => prefix + path;
  const fromRoot = (path: string) => path.slice(prefix.length);
  return {
    root: git.folder,
    head: () => readHead(git),
    branch: () => readBranch(git),
    async dirtyPaths() {
      const flags = ['--porcelain', '-z', '--untracked-files=all', '--no-renames', '--ignore-submodules=dirty'];
      const output = await git.output(['status', ...flags, '--', prefix === '' ? '.' : literalPathspec(prefix)]);
      // "XY path"; a repository within ours ends in a slash, as git lists it and nothing below it.
      return splitNul(output).map((entry) => fromRoot(entry.slice(3)).replace(/\/$/, ''));
    },
    async ignored(paths) {
      if (paths.length === 0) return [];
      // check-ignore knows no literal paths; behind "./" a colon at the start of a name has no meaning.
      const input = paths.map((path) => `./${fromTop(path)}\0`).join('');
      const result = await git.call(['check-ignore', '-z', '--stdin'], { input });
      if (result.exitCode === 1) return [];
      if (result.exitCode !== 0) throw new GitError(`git check-ignore failed: ${textOf(result)}`);
      return splitNul(result.stdout).map((path) => fromRoot(path.slice(2)));
    },
    sameAsHead: (path, bytes) => isSameAsHead(git, fromTop(path), bytes),
    findByTrailer: (key, value) => findByTrailer(git, key, value),
    async startBranch(slug) {
      return startBranch(git, slug, await readHead(git), await readBranch(git));
    },
    commit: (paths, message) => commitPaths(git, paths.map(fromTop), message),
  };
}

async function readHead(git: Git): Promise<string | null> {
  const result = await git.call(['rev-parse', '--verify', '--quiet', 'HEAD^{commit}']);
  return result.exitCode === 0 ? result.stdout.trim() : null;
}

async function readBranch(git: Git): Promise<string | null> {
  // Not `--short`: it prefixes the name where a tag has the same one.
  const result = await git.call(['symbolic-ref', '--quiet', 'HEAD']);
  return result.exitCode === 0 ? result.stdout.trim().replace(/^refs\/heads\//, '') : null;
}

async function isSameAsHead(git: Git, path: string, bytes: Uint8Array | undefined): Promise<boolean> {
  const inHead = (await readHead(git)) === null ? '' : await git.output(['ls-tree', '-z', 'HEAD', literalPathspec(path)]);
  const [, , id] = /^(\d+) blob ([0-9a-f]+)\t/.exec(inHead) ?? [];
  if (bytes === undefined || inHead === '') return bytes === undefined && inHead === '';
  const folder = await mkdtemp(join(tmpdir(), 'blueprint-hash-'));
  try {
    const file = join(folder, 'bytes');
    await writeFile(file, bytes);
    // Hashed as git would store it at that path: with autocrlf the bytes on disk differ from those in HEAD.
    const hashed = await git.call(['-c', 'core.safecrlf=false', 'hash-object', `--path=${path}`, '--', file]);
    return hashed.exitCode === 0 && hashed.stdout.trim() === id;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function findByTrailer(git: Git, key: string, value: string): Promise<string | undefined> {
  if ((await readHead(git)) === null) return undefined;
  const format = `--format=%H%n%(trailers:key=${key},valueonly,unfold)`;
  const log = await git.output(['log', '-z', '--no-show-signature', '-F', `--grep=${key}: ${value}`, format, 'HEAD']);
  for (const entry of splitNul(log)) {
    const [id, ...values] = entry.split('\n');
    if (values.includes(value)) return id;
  }
  return undefined;
}
