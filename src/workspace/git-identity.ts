import type { PersonNeededError } from '../errors.ts';
import { createGit, textOf } from './git-command.ts';
import { CommitRefusedError, IDENTITY_HINT } from './git-commit.ts';
import type { RepositoryOptions } from './git.ts';

/**
 * Why git would not know whom to name in a commit made here, or `undefined`: asked before a run begins, so that a missing
 * name does not show after an hour of work. Changes nothing.
 */
export async function findIdentityProblem({ root, processes, env = {} }: RepositoryOptions): Promise<PersonNeededError | undefined> {
  const git = createGit({ folder: root, processes, env });
  for (const who of ['GIT_AUTHOR_IDENT', 'GIT_COMMITTER_IDENT']) {
    const result = await git.call(['var', who]);
    if (result.notFound || result.exitCode === 0) continue;
    return new CommitRefusedError(`git does not know who you are, so it would make no commit.\n${textOf(result)}`, { hint: IDENTITY_HINT });
  }
  return undefined;
}
