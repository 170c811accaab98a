import { join } from 'node:path';
import { smallReplies } from '../fixtures/small.replies.mjs';
import { journalsOf, makeProject, REPOSITORY, writeReplies, type CliResult, type TestProject, type TranscriptTurn } from './project.ts';

export const SMALL = join(REPOSITORY, 'test', 'fixtures', 'small');
export const FOLDER = '.blueprint/features/farewell';
export const STORY = `${FOLDER}/story-say-farewell.md`;
export const BRIEF_TEXT = 'See visitors off by name.';

/** The small fixture project; its feature is `farewell`. */
export function smallProject(options: { git?: boolean } = {}): TestProject {
  return makeProject({ from: SMALL, ...options });
}

/** Replies of the small feature, each stage's also for later attempts, as a role that does the same again. */
export function repeated(attempts = 3, replies: TranscriptTurn[] = smallReplies()): TranscriptTurn[] {
  return Array.from({ length: attempts }, (_, index) => replies.map((turn) => ({ ...turn, attempt: index + 1 }))).flat();
}

/** Runs `feature farewell` with replies. */
export function runSmall(project: TestProject, replies: TranscriptTurn[] = repeated(), ...more: string[]): Promise<CliResult> {
  return project.run('feature', 'farewell', '--brief', BRIEF_TEXT, '--engine', writeReplies(project, 'replies.yaml', replies), ...more);
}

/** Steps that were begun in the latest run from the given event on. */
export function stepsBegun(project: TestProject, afterSeq = 0): string[] {
  const events = journalsOf(project.root).at(-1) ?? [];
  return events.filter(({ type, seq }) => type === 'attempt-start' && seq > afterSeq).map(({ data }) => String(data['step']));
}

export function lastSeq(project: TestProject): number {
  return journalsOf(project.root).at(-1)?.at(-1)?.seq ?? 0;
}

/** Replies that are cut off as often as a role may try to mend, and once more. */
export function cutOff(turn: TranscriptTurn): TranscriptTurn[] {
  return [1, 2, 3].map((number) => ({ ...turn, turn: number, stop: 'truncated' }));
}
