import type { RunOutcome } from '../model/api.ts';

/** What a run has come to: where everything is, and what next. */
export function outcomeLines(outcome: RunOutcome): string[] {
  const { status, feature, folder, criteria, commit, branch, notCommitted, artifacts, tests, code, notes, pausedAfter, root } = outcome;
  const proven = criteria.filter((criterion) => criterion.proven).length;
  const unproven = criteria.filter((criterion) => !criterion.proven && criterion.red === 'already-green');
  const lines = [status === 'completed' ? `Feature ${feature} is done.` : `Feature ${feature} is paused after ${pausedAfter ?? ''}.`, ''];
  lines.push(`  artifacts  ${folder}/ (${artifacts.length} files)`);
  if (tests.length > 0) lines.push(`  tests      ${tests.join(', ')}`);
  if (code.length > 0) lines.push(`  code       ${code.join(', ')}`);
  if (criteria.length > 0)
    lines.push(
      `  criteria   ${proven} of ${criteria.length} proven${unproven.length > 0 ? `; never seen red: ${unproven.map(({ id }) => id).join(', ')}` : ''}`,
    );
  if (commit !== undefined) lines.push(`  commit     ${commit.slice(0, 10)} on ${branch ?? 'a detached HEAD'}`);
  if (status === 'completed' && notCommitted !== undefined) lines.push(`  ${notCommitted}`);
  for (const note of notes) lines.push(`  note       ${note}`);
  lines.push(`  project    ${root}`);
  if (status === 'paused') lines.push('', `Edit the files if you like, then: blueprint resume ${feature}`);
  return lines;
}
