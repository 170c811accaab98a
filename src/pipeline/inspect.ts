import { PersonNeededError } from '../errors.ts';
import type { Finding } from '../model/failure.ts';
import { documentKinds } from '../artifacts/kinds.ts';
import { findConflictMarkers } from '../text/conflict.ts';
import { currentDigest, note, readText, record, type RunContext } from './context.ts';
import { acceptEditedTests } from './edited-tests.ts';
import { kindOfFile } from './inputs.ts';

/**
 * Looks at every file the run has written for what a person made of it: an edit that still parses is accepted and
 * recorded; an artifact that is gone, broken or full of conflict markers stops the run until it is mended.
 */
export async function acceptEdits(context: RunContext): Promise<void> {
  const tests: { path: string; from: string | null; to: string | null }[] = [];
  for (const [path, { accepted }] of Object.entries(context.state.files)) {
    const current = await currentDigest(context, path);
    if (current === accepted) continue;
    if (path in context.state.protects) {
      // While a command was under way nobody can tell who did it: the turn loop treats it as the command's doing.
      if (hasInterruptedCommand(context)) continue;
      tests.push({ path, from: accepted, to: current });
      continue;
    }
    const isArtifact = path.startsWith(`${context.folder}/`);
    if (isArtifact && (await isToBeReplaced(context, path))) continue;
    if (isArtifact) await demandSound(context, path, current === null);
    await record(context, { type: 'artifact-edited', data: { path, from: accepted, to: current } });
    note(
      context,
      `${path} was ${current === null ? 'removed' : 'edited'} by you; ${isArtifact ? 'the edit counts' : 'it is taken as it is'}.`,
    );
  }
  if (tests.length > 0) await acceptEditedTests(context, tests);
}

/** An artifact that is gone or broken stops nothing when its stage is about to make it anew. */
async function isToBeReplaced(context: RunContext, path: string): Promise<boolean> {
  const stage = kindOfFile(path.slice(path.lastIndexOf('/') + 1))?.stage;
  const status = stage === undefined ? undefined : context.state.steps[stage]?.status;
  return (status === 'open' || status === 'running') && (await findingsOfArtifact(context, path)).length > 0;
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
