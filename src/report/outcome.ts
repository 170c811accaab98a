import type { RunOutcome } from '../model/api.ts';
import { plural } from './format.ts';
import { plainLine } from './plain.ts';

/** What a run has come to: where everything is, and what next. */
export function outcomeLines(outcome: RunOutcome): string[] {
  const { status, feature, folder, commit, branch, notCommitted, artifacts, tests, code, notes, pausedAfter, recorded, root } = outcome;
  const lines = [status === 'completed' ? `Feature ${feature} is done.` : `Feature ${feature} is paused after ${pausedAfter ?? ''}.`, ''];
  lines.push(`  artifacts  ${folder}/ (${plural(artifacts.length, 'file')})`);
  if (tests.length > 0) lines.push(`  tests      ${tests.join(', ')}`);
  if (code.length > 0) lines.push(`  code       ${code.join(', ')}`);
  if (outcome.criteria.length > 0) lines.push(`  criteria   ${criteriaText(outcome)}`);
  if (commit !== undefined) lines.push(`  commit     ${commit.slice(0, 10)} on ${branch ?? 'a detached HEAD'}`);
  if (status === 'completed' && notCommitted !== undefined) lines.push(`  ${notCommitted}`);
  if (recorded !== undefined) lines.push(`  recorded   ${recorded}`);
  for (const note of notes) lines.push(`  note       ${note}`);
  lines.push(`  project    ${root}`, '', nextText(outcome));
  return lines.map(plainLine);
}

function criteriaText({ status, criteria }: RunOutcome): string {
  const open = criteria.filter(({ proven }) => !proven);
  const neverRed = open.filter(({ red }) => red === 'already-green');
  const edited = open.filter(({ red }) => red === 'edited');
  // While a run is paused, open is what criteria are meant to be.
  const left = status === 'completed' ? open.filter((one) => !neverRed.includes(one) && !edited.includes(one)) : [];
  return `${criteria.length - open.length} of ${criteria.length} proven${named('never seen red', neverRed)}${named('edited since they were seen red', edited)}${named('open', left)}`;
}

function named(title: string, some: { id: string }[]): string {
  return some.length === 0 ? '' : `; ${title}: ${some.map(({ id }) => id).join(', ')}`;
}

function nextText({ status, feature, commit }: RunOutcome): string {
  if (status === 'paused') return `Edit the files if you like, then: blueprint resume ${feature}`;
  return commit === undefined ? `See how it was made: blueprint status ${feature}` : `Look at it: git show ${commit.slice(0, 10)}`;
}
