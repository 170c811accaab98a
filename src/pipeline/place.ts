import { join } from 'node:path';
import { PersonNeededError } from '../errors.ts';
import type { FileChange } from '../model/ports.ts';
import { bytesDigest } from '../text/digest.ts';
import { absolute, currentDigest, record, type RunContext } from './context.ts';
import { decide } from './gate.ts';

export interface Target {
  /** From the project root. */
  path: string;
  /** What shall stand there; null removes the file. */
  bytes: Uint8Array | null;
}

/**
 * Records what is about to change, then changes it file by file. After a crash in between, `settle` ends the work.
 * Bytes of both sides are kept as blobs first.
 */
export async function placeFiles(
  context: RunContext,
  at: { step: string; attempt: number; purpose: 'artifacts' | 'tests' | 'restore' },
  targets: Target[],
): Promise<FileChange[]> {
  const changes: FileChange[] = [];
  for (const { path, bytes } of targets) {
    const current = await context.files.read(absolute(context, path));
    const before = current === undefined ? null : await context.journal.putBlob(current);
    const after = bytes === null ? null : await context.journal.putBlob(bytes);
    const known = context.state.files[path];
    // A file that is already right and known to be ours needs no record.
    if (before === after && known?.accepted === after) continue;
    changes.push({ path, before, after });
  }
  if (changes.length === 0) return changes;
  await record(context, { type: 'files-recorded', data: { ...at, files: changes } });
  for (const change of changes) await putInPlace(context, change);
  return changes;
}

/** Ends what a crash left half done: recorded and not in place is done now; what a person changed meanwhile is asked for. */
export async function settle(context: RunContext): Promise<void> {
  for (const change of context.state.unsettled) {
    const current = await currentDigest(context, change.path);
    if (current === change.after) continue;
    if (current === change.before) await putInPlace(context, change);
    else await askAboutMeanwhile(context, change, current);
  }
}

async function askAboutMeanwhile(context: RunContext, change: FileChange, current: string | null): Promise<void> {
  const answer = await decide(
    context,
    {
      gate: `meanwhile:${change.path}`,
      step: context.state.unsettledStep ?? '',
      text: `${change.path} was to be written when the program was stopped, and it has been changed since.`,
      choices: [
        { value: 'keep', label: 'keep mine' },
        { value: 'take', label: 'take the new one (mine is saved as a patch)' },
      ],
    },
    context.options.takeNew ? 'take' : undefined,
  );
  if (answer === 'take') {
    await savePatch(context, change.path);
    await putInPlace(context, { ...change, before: current });
  } else {
    await record(context, { type: 'artifact-edited', data: { path: change.path, from: change.after, to: current } });
  }
}

/** Someone may have saved the file since it was looked at: their bytes are not overwritten. */
async function putInPlace(context: RunContext, { path, before, after }: FileChange): Promise<void> {
  const current = await currentDigest(context, path);
  if (current === after) return;
  if (current !== before) {
    throw new PersonNeededError(`${path} was changed while it was about to be written; it has been left as it is.`, {
      place: path,
      hint: `Then: blueprint resume ${context.feature}`,
    });
  }
  if (after === null) await context.files.remove(absolute(context, path));
  else await context.files.replace(absolute(context, path), await context.journal.getBlob(after));
}

/**
 * Keeps a person's version of a file before it is replaced, in the run's folder.
 * @returns where it was saved, absolute.
 */
export async function savePatch(context: RunContext, path: string): Promise<string | undefined> {
  const bytes = await context.files.read(absolute(context, path));
  if (bytes === undefined) return undefined;
  const digest = bytesDigest(bytes).slice('sha256:'.length, 'sha256:'.length + 8);
  const kept = join(context.journal.folder, 'patches', `${path.replaceAll('/', '__')}.${digest}`);
  await context.files.replace(kept, bytes);
  return kept;
}
