import { PersonNeededError } from '../errors.ts';
import type { RunOutcome } from '../model/api.ts';
import type { RunEvent } from '../model/event.ts';
import type { RunRequest } from './execute.ts';
import { demandRecordingTarget } from './recording-target.ts';
import { readRecordedTurns } from './recorded-turns.ts';
import { findLatestRun } from './runs.ts';

/**
 * Where the recording that was asked for goes; undefined when none was.
 * @throws UsageError for a place that cannot be, before anything is run.
 */
export async function recordingTarget({ options, ports }: RunRequest): Promise<string | undefined> {
  if (options.record === undefined) return undefined;
  const isTranscript = (text: string): boolean => ports.recordings.isTranscript(text);
  return demandRecordingTarget({ file: options.record, cwd: options.cwd, root: ports.root, isTranscript });
}

/**
 * Does the work and, however it ends, writes what the run's engine has replied so far. An error of the work stays the
 * error: what becomes of the recording is then a note.
 */
export async function withRecording(
  request: RunRequest,
  target: string,
  work: (request: RunRequest) => Promise<RunOutcome>,
): Promise<RunOutcome> {
  let hasBegun = false;
  const emit = (event: RunEvent): void => {
    if (event.type === 'run-started' || event.type === 'run-resumed') hasBegun = true;
    request.hooks.emit(event);
  };
  let outcome: RunOutcome;
  try {
    outcome = await work({ ...request, hooks: { ...request.hooks, emit } });
  } catch (error) {
    // Without a run of this command's there is nothing that it could have asked to be recorded.
    if (hasBegun) await recordAndSay(request, target);
    throw error;
  }
  const nothing = await writeRecording(request, target).catch((cause: unknown) => {
    throw new PersonNeededError(`The run is ${outcome.status}, and its recording could not be written: ${messageOf(cause)}`, {
      cause,
      place: target,
      hint: `Name another place: blueprint resume ${outcome.feature} --record <file>`,
    });
  });
  return nothing === undefined ? { ...outcome, recorded: target } : { ...outcome, notes: [...outcome.notes, nothing] };
}

async function recordAndSay(request: RunRequest, target: string): Promise<void> {
  const { hooks } = request;
  try {
    const nothing = await writeRecording(request, target);
    hooks.emit({ type: 'note', level: 'info', text: nothing ?? `recorded ${target}` });
  } catch (fault) {
    hooks.emit({ type: 'note', level: 'warning', text: `The recording ${target} could not be written: ${messageOf(fault)}` });
  }
}

/** Writes the recording of the latest run, in one piece; or answers why there is nothing to record. */
async function writeRecording(request: RunRequest, target: string): Promise<string | undefined> {
  const { feature, ports } = request;
  const found = await findLatestRun(ports.root, feature);
  const { turns, harnesses } = found ? await readRecordedTurns(found.folder) : { turns: [], harnesses: [] };
  if (turns.length === 0) {
    return harnesses.length > 0
      ? `nothing to record: ${harnesses.join(', ')} is not a provider`
      : 'nothing to record: the run has no reply yet';
  }
  // What the run itself, or a person meanwhile, has put there is not replaced.
  await recordingTarget(request);
  await ports.files.replace(target, new TextEncoder().encode(ports.recordings.serialise(turns, target)));
  return undefined;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
