/** Exit codes of the command line, one meaning each. */
export const EXIT = {
  done: 0,
  answerIsNo: 1,
  wrongUse: 2,
  personNeeded: 3,
  engineUnusable: 4,
  stateUnusable: 5,
  bug: 70,
  interrupted: 130,
  terminated: 143,
} as const;

export interface ErrorDetails {
  /** One line a person can act on, often a command to paste. */
  hint?: string;
  /** Where the fault lies: `file`, `file:line` or `file:line:column`. */
  place?: string;
  cause?: unknown;
}

/**
 * Ends a command with one clear message. Expected outcomes of a role's work are not errors: they are
 * `Failure` values, recorded and reasoned about.
 */
export class BlueprintError extends Error {
  readonly exitCode: number = EXIT.bug;
  readonly hint: string | undefined;
  readonly place: string | undefined;

  constructor(message: string, details: ErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = new.target.name;
    this.hint = details.hint;
    this.place = details.place;
  }
}

/** Wrong use or wrong configuration. */
export class UsageError extends BlueprintError {
  override readonly exitCode = EXIT.wrongUse;
}

/** It worked and the answer is no: a stage gave up. The run is recorded and can be resumed. */
export class StageFailedError extends BlueprintError {
  override readonly exitCode = EXIT.answerIsNo;
}

/** A feature has no brief, and nobody said one. */
export class BriefMissingError extends UsageError {}

/** The run cannot go on without a person; it is recorded and resumable. */
export class PersonNeededError extends BlueprintError {
  override readonly exitCode = EXIT.personNeeded;
}

/** The engine cannot be used at all: none configured, no key, transcript exhausted. `kind` is a `StopKind` of the model. */
export class EngineError extends BlueprintError {
  override readonly exitCode = EXIT.engineUnusable;
  readonly kind: string | undefined;

  constructor(message: string, details: ErrorDetails & { kind?: string } = {}) {
    super(message, details);
    this.kind = details.kind;
  }
}

/** Only time, money or a person's word lets the run go on: a rate limit, a spend limit, a budget. `kind` is a `StopKind`. */
export class ParkedError extends PersonNeededError {
  readonly kind: string;

  constructor(message: string, details: ErrorDetails & { kind: string }) {
    super(message, details);
    this.kind = details.kind;
  }
}

/** A lock is held elsewhere, or a journal is unreadable, damaged or newer. */
export class StateError extends BlueprintError {
  override readonly exitCode = EXIT.stateUnusable;
}

/** A broken invariant of this program. */
export class InternalError extends BlueprintError {}

/** The person or the system asked the process to stop. */
export class InterruptedError extends BlueprintError {
  override readonly exitCode: number;
  constructor(signal: 'SIGINT' | 'SIGTERM' | 'SIGHUP') {
    super(`Interrupted by ${signal}.`);
    this.exitCode = signal === 'SIGTERM' ? EXIT.terminated : EXIT.interrupted;
  }
}
