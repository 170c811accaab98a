import { lstat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { PersonNeededError } from '../errors.ts';
import type { Git } from './git-command.ts';

/**
 * Puts HEAD on a branch for the feature and returns its name. Only HEAD moves, and to the same commit: neither the work
 * tree nor the index is touched. Throws `PersonNeededError` in the middle of a merge, rebase or pick.
 */
export async function startBranch(git: Git, slug: string, head: string | null, current: string | null): Promise<string> {
  if (current !== null && isBranchOf(slug, current)) return current;
  await refuseHalfDoneWork(git);
  const refs = await readRefs(git, slug);
  const name = chooseName(slug, head, refs, await branchesOfWorktrees(git));
  if (head !== null && !refs.has(name)) {
    // With the old value given as "none", git refuses if somebody made the branch since we looked.
    await git.output(['update-ref', '-m', 'blueprint: start', `refs/heads/${name}`, head, ''], { writes: true });
  }
  await git.output(['symbolic-ref', '-m', 'blueprint: start', 'HEAD', `refs/heads/${name}`], { writes: true });
  return name;
}

function isBranchOf(slug: string, branch: string): boolean {
  return [`blueprint/${slug}`, `blueprint-${slug}`].some(
    (base) => branch === base || (branch.startsWith(`${base}-`) && /^\d+$/.test(branch.slice(base.length + 1))),
  );
}

/** First name that is free, or whose branch stands where HEAD stands and is nobody's current one. */
function chooseName(slug: string, head: string | null, refs: Map<string, string>, taken: Set<string>): string {
  // A branch "blueprint" makes a folder of that name impossible, and "blueprint/login/x" a branch "blueprint/login".
  const isBlocked = refs.has('blueprint') || hasBelow(refs, `blueprint/${slug}`);
  const base = isBlocked ? `blueprint-${slug}` : `blueprint/${slug}`;
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? base : `${base}-${number}`;
    if (taken.has(name) || hasBelow(refs, name)) continue;
    const commit = refs.get(name);
    if (commit === undefined || commit === head) return name;
  }
}

function hasBelow(refs: Map<string, string>, name: string): boolean {
  return [...refs.keys()].some((ref) => ref.startsWith(`${name}/`));
}

/** Branches that can matter for the choice, with their commits. */
async function readRefs(git: Git, slug: string): Promise<Map<string, string>> {
  const patterns = ['refs/heads/blueprint', `refs/heads/blueprint-${slug}*`, `refs/heads/blueprint-${slug}*/**`];
  const output = await git.output(['for-each-ref', '--format=%(objectname) %(refname)', ...patterns]);
  return new Map(
    output
      .split('\n')
      .filter(Boolean)
      .map((line) => {
        const [commit = '', ref = ''] = line.split(' ');
        return [ref.slice('refs/heads/'.length), commit];
      }),
  );
}

/** Branches checked out in some work tree of this repository: `symbolic-ref`, unlike `switch`, would not mind. */
async function branchesOfWorktrees(git: Git): Promise<Set<string>> {
  const output = await git.output(['worktree', 'list', '--porcelain']);
  return new Set([...output.matchAll(/^branch refs\/heads\/(.+)$/gm)].map((match) => match[1] ?? ''));
}

const HALF_DONE: Record<string, string> = {
  MERGE_HEAD: 'merge',
  CHERRY_PICK_HEAD: 'cherry-pick',
  REVERT_HEAD: 'revert',
  'rebase-merge': 'rebase',
  'rebase-apply': 'rebase',
};

async function refuseHalfDoneWork(git: Git): Promise<void> {
  const names = Object.keys(HALF_DONE);
  const output = await git.output(['rev-parse', ...names.flatMap((name) => ['--git-path', name])]);
  for (const [index, path] of output.split('\n').entries()) {
    const name = names[index];
    if (name === undefined || path === '') continue;
    const exists = await lstat(resolve(git.folder, path)).then(
      () => true,
      () => false,
    );
    if (!exists) continue;
    throw new PersonNeededError(`A ${HALF_DONE[name]} is under way in ${git.folder}; a branch cannot be started within it.`, {
      hint: `Finish it, or give it up with: git ${HALF_DONE[name]} --abort`,
    });
  }
}
