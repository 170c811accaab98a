import type { CriterionEvidence } from './evidence.ts';
import type { Effort, ReplyProgress, StopReason, Usage } from './engine.ts';
import type { Failure, StopKind } from './failure.ts';
import type { FileChange } from './ports.ts';

/** Digest of each input or output by its name: a path, or `path#AC-1` for one item of a file. */
export type Digests = Record<string, string>;

/** What an attempt was made with, as digests of the parts that can change between versions of a project. */
export interface Recipe {
  /** Version of this program. */
  version: string;
  role: string;
  guardrails: string;
  prompt: string;
  template: string;
  tools: string;
}

/** Limits of the run that a command has set, by name; null takes one away. */
export type LimitChanges = Record<string, number | null>;

/** Model and effort that a person has named for all roles; they stay with the run. */
export interface EngineChoice {
  model?: string;
  effort?: Effort;
}

/** Durable events. `step` is a stage or a program step; `attempt` counts from 1 and is never reset within a run. */
export interface EventData {
  'run-started': {
    schema: number;
    version: string;
    run: string;
    feature: string;
    engine: string;
    /** Whether the run ends with a commit. */
    commit: boolean;
    /** Commit at the start; null without git or without commits. */
    base: string | null;
    parent?: string;
    /** Step from which everything was asked to be made again. */
    from?: string;
    limits?: LimitChanges;
    choice?: EngineChoice;
  };
  'run-resumed': { pid: number; host: string; engine: string; limits?: LimitChanges; choice?: EngineChoice };
  /** `kind` says what the engine or a limit stopped the run for. */
  'run-paused': { step: string; reason: 'asked' | 'gate' | 'failed' | 'interrupted'; message: string; kind?: StopKind };
  'run-ended': { status: 'completed' | 'aborted'; reason?: string };
  'attempt-start': {
    step: string;
    attempt: number;
    inputs: Digests;
    engine?: string;
    model?: string;
    recipe?: Recipe;
    /** Blob of the composed prompt (JSON). */
    prompt?: string;
    /** Inputs that did not fit the context, by name. */
    leftOut?: string[];
  };
  'turn-end': {
    step: string;
    attempt: number;
    turn: number;
    /** Blob of the reply (JSON). */
    reply: string;
    stop: StopReason;
    usage: Usage;
    /** Milliseconds. */
    duration: number;
  };
  /** A try of a turn broke off; its tokens are paid for all the same. */
  'turn-lost': { step: string; attempt: number; turn: number; usage: Usage };
  /** Older tool results were shortened for this turn, so that the request fits the model's window. */
  'context-trimmed': {
    step: string;
    attempt: number;
    turn: number;
    /** Calls whose results were shortened. */
    calls: string[];
    /** Estimated tokens of the request before and after. */
    before: number;
    after: number;
  };
  'tool-start': {
    step: string;
    attempt: number;
    turn: number;
    call: string;
    tool: string;
    kind: 'write' | 'command' | 'submission';
    write?: FileChange;
    /** Blob of the answer, where it is known before the effect. */
    output?: string;
  };
  'tool-end': {
    step: string;
    attempt: number;
    turn: number;
    call: string;
    tool: string;
    kind: 'answer' | 'write' | 'command' | 'submission';
    /** Blob of the text the model was given. */
    output: string;
    error: boolean;
    /** Blob of the failure (JSON) when the call failed its attempt or its submission was turned down. */
    failure?: string;
    /** Whether that ended the attempt. */
    final?: boolean;
    /** Files a command changed, seen through git. */
    changed?: FileChange[];
    accepted?: boolean;
  };
  'files-recorded': { step: string; attempt: number; purpose: 'artifacts' | 'tests' | 'restore'; files: FileChange[] };
  'command-end': {
    step: string;
    attempt: number;
    purpose: 'red' | 'green' | 'verify';
    command: string;
    exitCode: number | null;
    timedOut: boolean;
    /** Digest over the run's files when the command ran. */
    tree: string;
    /** Blob of the results per test (JSON), when the command was a test run. */
    tests?: string;
    /** Blob of the output. */
    output: string;
    passed: number;
    failed: number;
  };
  'protected-changed': { step: string; attempt: number; path: string; by: string; kept: string | null };
  'attempt-end': {
    step: string;
    attempt: number;
    outcome: 'failed' | 'superseded' | 'interrupted';
    failure?: Failure;
    reason?: string;
  };
  'stage-end': {
    step: string;
    attempt: number;
    inputs: Digests;
    /** Bytes digests of what the step made. */
    outputs: Digests;
    evidence?: CriterionEvidence[];
    /** Tests under protection from here on. */
    protects?: Digests;
    /** Criteria shown to hold by a named test that passed. */
    proven?: string[];
    commit?: string;
    branch?: string;
    note?: string;
  };
  'stage-adopted': {
    step: string;
    inputs: Digests;
    outputs: Digests;
    evidence?: CriterionEvidence[];
    protects?: Digests;
    from: string;
    proven?: string[];
    first?: Record<string, string | null>;
    written?: Record<string, string | null>;
  };
  /** Tests that a person has edited were run again and seen red. */
  'evidence-recorded': { step: string; evidence: CriterionEvidence[] };
  'stage-skipped': { step: string; reason: string };
  'stage-reopened': { step: string; reason: string; failure?: Failure };
  'artifact-edited': { path: string; from: string | null; to: string | null };
  'gate-opened': { gate: string; step: string; question: string };
  'gate-answered': { gate: string; step: string; answer: string; by: 'person' | 'yes' | 'option' };
  'commit-start': { attempt: number; base: string | null; branch: string; paths: string[]; message: string };
}

export type EventType = keyof EventData;

/** One line of a journal. */
export type JournalEvent = {
  [Type in EventType]: { seq: number; time: string; type: Type; data: EventData[Type] };
}[EventType];

export type NewEvent = { [Type in EventType]: { type: Type; data: EventData[Type] } }[EventType];

/** What a run tells while it goes on: every durable event, and talk that is not recorded. */
export type RunEvent =
  | JournalEvent
  | { type: 'note'; level: 'info' | 'warning'; text: string }
  | { type: 'step-fresh'; step: string; reason: string }
  | { type: 'step-stale'; step: string; reasons: string[] }
  | { type: 'command-start'; step: string; command: string }
  /** `milliseconds` where it is known how long. */
  | { type: 'waiting'; text: string; milliseconds?: number }
  /** A turn is asked of the engine. */
  | { type: 'turn-start'; step: string; attempt: number; turn: number }
  /** What is arriving of the reply; told often. */
  | ({ type: 'reply-progress'; step: string } & ReplyProgress)
  /** A call of the role begins; `target` is the path, pattern or command it is about. */
  | { type: 'call-start'; step: string; tool: string; target?: string };
