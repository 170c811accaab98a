import type { FeatureStatus, RunOutcome, StageContext } from '../model/api.ts';
import type { RunEvent } from '../model/event.ts';

/** What `--json` says of an error; `place` and `hint` stand only where there is one. */
export interface ErrorReport {
  name: string;
  message: string;
  place?: string;
  hint?: string;
}

/** What `init` has come to. */
export interface InitOutcome {
  root: string;
  written: string[];
  kept: string[];
}

/** Whether an event belongs in a stream for programs: what is told by the hundred while a reply arrives does not. */
export function isStreamed(event: RunEvent): boolean {
  return event.type !== 'reply-progress';
}

/** One event of a run as one line of NDJSON, without its line end. */
export function eventJson(event: RunEvent): string {
  return JSON.stringify({ type: 'event', event });
}

/** The last line of a command that did what it was asked. */
export function resultJson(outcome: RunOutcome | InitOutcome): string {
  return JSON.stringify({ type: 'result', ok: true, exitCode: 0, outcome });
}

/** The last line of a command that ended with an error. */
export function errorJson(exitCode: number, error: ErrorReport): string {
  return JSON.stringify({ type: 'result', ok: false, exitCode, error });
}

/** The one document of `status --json`. */
export function statusJson(features: FeatureStatus[]): string {
  return JSON.stringify({ type: 'status', features });
}

/** The one document of `context --json`. */
export function contextJson(context: StageContext): string {
  const { feature, stage, attempt, isOpen, superseded, parts, leftOut, inputs, total } = context;
  const open = { ...(isOpen && { open: true }), ...(superseded !== undefined && { superseded }) };
  return JSON.stringify({ type: 'context', feature, stage, attempt, ...open, parts, leftOut, inputs, total });
}
