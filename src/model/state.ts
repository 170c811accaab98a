import type { StopReason, Usage } from './engine.ts';
import type { Digests, EngineChoice, LimitChanges, Recipe } from './event.ts';
import type { CriterionEvidence } from './evidence.ts';
import type { Failure } from './failure.ts';
import type { FileChange } from './ports.ts';

export interface CallState {
  tool: string;
  kind: 'answer' | 'write' | 'command' | 'submission';
  write?: FileChange;
  /** Blob of the answer; known from the start for a write, from the end for everything else. */
  output?: string;
  ended: boolean;
  error: boolean;
  accepted: boolean;
  /** Blob of why. */
  failure?: string;
  final?: boolean;
}

export interface TurnState {
  reply: string;
  stop: StopReason;
  calls: Record<string, CallState>;
}

/** An attempt that has begun and has no end in the journal. */
export interface ActiveAttempt {
  attempt: number;
  inputs: Digests;
  engine?: string;
  model?: string;
  recipe?: Recipe;
  prompt?: string;
  /** Inputs that did not fit the context, by name. */
  leftOut?: string[];
  turns: TurnState[];
  /** Artifacts this attempt has put in place already, with what was there before it. */
  placed: Record<string, string | null>;
}

export interface AttemptSummary {
  attempt: number;
  outcome: 'running' | 'passed' | 'failed' | 'superseded' | 'interrupted';
  failure?: Failure;
  engine?: string;
  model?: string;
  /** Of every turn, and of tries that broke off. */
  usage: Usage;
  /** The part of it from turns with a prompt over `LONG_PROMPT` tokens. */
  long: Usage;
  /** Turns that were answered and of which nobody has counted the tokens. */
  unmetered: number;
  turns: number;
  startedAt: string;
  endedAt?: string;
  /** What the attempt was made from. */
  inputs: Digests;
}

export interface StepState {
  status: 'open' | 'running' | 'passed' | 'skipped';
  attempts: AttemptSummary[];
  active?: ActiveAttempt;
  /** Of the latest pass. */
  inputs: Digests;
  outputs: Digests;
  recipe?: Recipe;
  adoptedFrom?: string;
  /** Why it must run though it passed before, or why it was skipped. */
  reason?: string;
  /** The failure that made a later step send the work back here. */
  sentBack?: Failure;
  note?: string;
  /** Whether the pause asked for after this step has been held since it last passed. */
  pauseHeld: boolean;
}

/** A file this run has written. Digests of bytes; null is "no file". */
export interface FileState {
  /** Before the run's first write. */
  first: string | null;
  /** Last written by the run. */
  written: string | null;
  /** Last accepted: what the run wrote, or what a person made of it. */
  accepted: string | null;
  step: string;
}

/** What the events of one run add up to. */
export interface RunState {
  run: string;
  feature: string;
  schema: number;
  version: string;
  engine: string;
  commit: boolean;
  base: string | null;
  parent?: string;
  /** Step from which everything is to be made again, until that has begun. */
  from?: string;
  /** As commands have set them; null where one was taken away. */
  limits: LimitChanges;
  choice: EngineChoice;
  startedAt: string;
  status: 'running' | 'paused' | 'completed' | 'aborted';
  paused?: { step: string; reason: string; message: string };
  steps: Record<string, StepState>;
  files: Record<string, FileState>;
  /** Files of the latest record that may not be in place yet. */
  unsettled: FileChange[];
  /** Step whose record that is. */
  unsettledStep?: string;
  protects: Digests;
  evidence: CriterionEvidence[];
  /** Every test ever seen red in this run, by title. */
  seenRed: Record<string, CriterionEvidence>;
  proven: string[];
  /** Answers given at gates, by gate id. */
  commitStart?: { attempt: number; base: string | null; branch: string; paths: string[]; message: string };
  commitId?: string;
  branch?: string;
  lastSeq: number;
}
