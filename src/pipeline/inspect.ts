import { PersonNeededError } from '../errors.ts';
import type { Finding } from '../model/failure.ts';
import { documentKinds } from '../artifacts/kinds.ts';
import { findConflictMarkers } from '../text/conflict.ts';
import { currentDigest, note, readText, record, type RunContext } from './context.ts';
import { decide } from './gate.ts';
import { placeFiles, savePatch } from './place.ts';
import { kindOfFile } from './inputs.ts';

/**
 * Looks at every file the run has written for what a person made of it: an edit that still parses is accepted and
 * recorded; an artifact that is gone, broken or full of conflict markers stops the run until it is mended.
 */
export async function acceptEdits(context: RunContext): Promise<void> {
  for (const [path, { accepted }] of Object.entries(context.state.files)) {
    const current = await currentDigest(context, path);
    if (current === accepted) continue;
    if (path in context.state.protects) {
      // While a command was under way nobody can tell who did it: the turn loop treats it as the command's doing.
      if (hasInterruptedCommand(context)) continue;
      await acceptEditedTest(context, path, accepted, current);
      continue;
    }
    const isArtifact = path.startsWith(`${context.folder}/`);
    if (isArtifact) await demandSound(context, path, current === null);
    await record(context, { type: 'artifact-edited', data: { path, from: accepted, to: current } });
    note(
      context,
      `${path} was ${current === null ? 'removed' : 'edited'} by you; ${isArtifact ? 'the edit counts' : 'it is taken as it is'}.`,
    );
  }
}

function hasInterruptedCommand({ state }: RunContext): boolean {
  return Object.values(state.steps).some(({ active }) =>
    active?.turns.some((turn) => Object.values(turn.calls).some(({ kind, ended }) => kind === 'command' && !ended)),
  );
}

/** Problems of one artifact as it is on disk, each with its place. */
export async function findingsOfArtifact(context: RunContext, path: string): Promise<Finding[]> {
  const text = await readText(context, path);
  if (text === undefined) return [{ rule: 'missing', severity: 'error', message: `${path} is missing.`, file: path }];
  const marker = findConflictMarkers(text)[0];
  if (marker !== undefined) {
    return [
      {
        rule: 'conflict',
        severity: 'error',
        message: 'Unexpected merge conflict marker, expected a resolved file.',
        file: path,
        line: marker,
        column: 1,
      },
    ];
  }
  const kind = kindOfFile(path.slice(path.lastIndexOf('/') + 1))?.kind;
  if (!kind) return [];
  const parsed = documentKinds[kind].parse(text);
  return parsed.findings.filter(({ severity }) => severity === 'error').map((finding) => ({ ...finding, file: path }));
}

async function demandSound(context: RunContext, path: string, isMissing: boolean): Promise<void> {
  const [finding] = await findingsOfArtifact(context, path);
  if (!finding) return;
  const place = [path, finding.line, finding.line === undefined ? undefined : (finding.column ?? 1)]
    .filter((part) => part !== undefined)
    .join(':');
  throw new PersonNeededError(isMissing ? `${path} has been removed, and later steps stand on it.` : finding.message, {
    place,
    hint: isMissing
      ? `Put it back, or make it anew with: blueprint resume ${context.feature} --from ${kindOfFile(path.slice(path.lastIndexOf('/') + 1))?.stage ?? 'spec'}`
      : `${finding.hint ?? 'Mend it'}; then: blueprint resume ${context.feature}`,
  });
}

/** A test changed between two looks was changed by a person: their word counts, and is asked for. */
async function acceptEditedTest(context: RunContext, path: string, from: string | null, to: string | null): Promise<void> {
  const answer = await decide(
    context,
    {
      gate: `protected:${path}`,
      step: 'implement',
      text: `${path} is a protected test and has been ${to === null ? 'removed' : 'edited'} outside the run.`,
      choices: [
        { value: 'accept', label: 'accept the edit' },
        { value: 'restore', label: 'restore the recorded test' },
      ],
    },
    context.options.takeNew ? 'restore' : undefined,
  );
  if (answer === 'accept') {
    await record(context, { type: 'artifact-edited', data: { path, from, to } });
    return;
  }
  await savePatch(context, path);
  await placeFiles(context, { step: 'tests', attempt: 0, purpose: 'restore' }, [
    { path, bytes: from === null ? null : await context.journal.getBlob(from) },
  ]);
}
