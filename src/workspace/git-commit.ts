import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { PersonNeededError } from '../errors.ts';
import type { CommandResult } from '../model/ports.ts';
import { literalPathspec, splitNul, textOf, type Git, type GitCall } from './git-command.ts';

/** Git did not make the commit. The message holds its text: a hook's output, a failed signature, a missing identity. */
export class CommitRefusedError extends PersonNeededError {}

export const IDENTITY_HINT = 'git config user.name "Your Name" && git config user.email "you@example.com"';

/** Milliseconds: hooks may run a whole test suite. */
const COMMIT_TIMEOUT = 15 * 60_000;
const LOCK_WAIT = 5000;
const LOCK_STEP = 250;

/**
 * Commits exactly these paths (from the top of the work tree) as they are on disk and returns the commit's id. What a
 * person staged elsewhere stays staged. Throws `CommitRefusedError`; the index is then as it was.
 */
export async function commitPaths(git: Git, paths: string[], message: string): Promise<string> {
  const { known, unknown } = await sortPaths(git, paths);
  if (known.length + unknown.length === 0)
    throw new CommitRefusedError('There is nothing to commit: none of the paths exists here or in HEAD.');
  try {
    if (unknown.length > 0) await need(git, ['add', '--intent-to-add', '--', ...unknown.map(literalPathspec)], {});
    const pathspecs = [...known, ...unknown].map(literalPathspec);
    // Hooks and signing are the person's; whitespace: a line of ours that begins with "#" is no comment.
    const options = ['--only', '--cleanup=whitespace', '--file=-'];
    await need(git, ['commit', ...options, '--', ...pathspecs], { input: message, timeout: COMMIT_TIMEOUT });
  } catch (error) {
    await forget(git, unknown);
    throw error;
  }
  return (await git.output(['rev-parse', '--verify', 'HEAD'])).trim();
}

/** Paths git knows from the index or HEAD, and existing ones it does not; what is nowhere is left out. */
async function sortPaths(git: Git, paths: string[]): Promise<{ known: string[]; unknown: string[] }> {
  const pathspecs = paths.map(literalPathspec);
  const inIndex = paths.length === 0 ? [] : splitNul(await git.output(['ls-files', '-z', '--', ...pathspecs]));
  const inHead = await readHeadPaths(git, pathspecs);
  const known: string[] = [];
  const unknown: string[] = [];
  for (const path of new Set(paths)) {
    const exists = await lstat(join(git.folder, path)).then(
      () => true,
      () => false,
    );
    if (inIndex.includes(path)) known.push(path);
    else if (exists) unknown.push(path);
    else if (inHead.includes(path)) known.push(path);
  }
  return { known, unknown };
}

async function readHeadPaths(git: Git, pathspecs: string[]): Promise<string[]> {
  const isUnborn = (await git.call(['rev-parse', '--verify', '--quiet', 'HEAD'])).exitCode !== 0;
  if (isUnborn || pathspecs.length === 0) return [];
  return splitNul(await git.output(['ls-tree', '-z', '-r', '--name-only', 'HEAD', ...pathspecs]));
}

/** Takes back `add --intent-to-add`. A fault here must not hide why the commit failed, so it is not told. */
async function forget(git: Git, paths: string[]): Promise<void> {
  if (paths.length === 0) return;
  const input = paths.map((path) => `${path}\0`).join('');
  await callWhenUnlocked(git, ['update-index', '--force-remove', '-z', '--stdin'], { input });
}

async function need(git: Git, argumentsOf: string[], options: GitCall): Promise<void> {
  const result = await callWhenUnlocked(git, argumentsOf, options);
  if (result.exitCode !== 0) throw refusal(result);
}

/** Git takes the lock of the index before it does anything else, so a call that met the lock can be repeated. */
async function callWhenUnlocked(git: Git, argumentsOf: string[], options: GitCall): Promise<CommandResult> {
  for (let waited = 0; ; waited += LOCK_STEP) {
    const result = await git.call(argumentsOf, { ...options, writes: true });
    if (result.exitCode === 0 || lockOf(result) === undefined || waited >= LOCK_WAIT) return result;
    await delay(LOCK_STEP);
  }
}

function lockOf(result: CommandResult): string | undefined {
  return /Unable to create '(.*index\.lock)': File exists/.exec(result.stderr)?.[1];
}

const MISSING_IDENTITY = /tell me who you are|empty ident name|auto-detect email|no (name|email) was given/i;

function refusal(result: CommandResult): CommitRefusedError {
  const text = textOf(result);
  const lock = lockOf(result);
  if (lock !== undefined) {
    return new CommitRefusedError(`Another git holds the index: ${lock} is there for ${LOCK_WAIT / 1000} s and more.`, {
      hint: `If no git is running, remove it: rm '${lock}'`,
    });
  }
  if (MISSING_IDENTITY.test(text)) {
    return new CommitRefusedError(`git does not know who you are, so it made no commit.\n${text}`, {
      hint: IDENTITY_HINT,
    });
  }
  return new CommitRefusedError(`git made no commit: ${text}`);
}
