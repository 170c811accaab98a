import type { AttemptSummary } from './state.ts';
import type { RunEvent } from './event.ts';
import type { Effort, Usage } from './engine.ts';

/** US dollars, or that nobody can say. */
export type Cost = number | 'unknown';

/** A question that only a person can answer. */
export interface Question {
  /** Stable name, e.g. `keep-or-take:FEATURE_SPEC.md`. */
  gate: string;
  step: string;
  text: string;
  /** The first choice is the one `--yes` takes. */
  choices: { value: string; label: string }[];
}

/** What the edge hands to the core. */
export interface Hooks {
  /** Told every event of the run, in order. Never throws. */
  emit(event: RunEvent): void;
  /** Asks a person; absent without a terminal. */
  ask?: (question: Question) => Promise<string>;
  /** Aborted with an `InterruptedError` as its reason. */
  signal: AbortSignal;
}

/** Where a run stops, to go on when a person raises the limit. */
export interface RunLimits {
  /** US dollars. */
  budget?: number;
  /** Replies of the engine. */
  turns?: number;
  /** Minutes of one command. */
  minutes?: number;
}

export interface RunOptions {
  /** Where the command was started; the project is found from here upwards. */
  cwd: string;
  slug: string;
  /** Text of the brief, for a feature that has none yet. */
  brief?: string;
  /** Steps, roles or personas as a person named them. */
  pauseAfter: string[];
  /** Step to run again from; only for `resume`. */
  from?: string;
  /** e.g. `transcript:replies.yaml`. */
  engine?: string;
  /** Model for every role, whatever configuration and roles say. */
  model?: string;
  effort?: Effort;
  /** Limits of the whole run; what is left out stays as it was. `none` takes a limit away. */
  limits?: { [Name in keyof RunLimits]?: number | 'none' };
  /** Whether to end with a commit. */
  commit: boolean;
  /** Take the recommended answer at every gate. */
  yes: boolean;
  /** At a keep-or-take gate, take the new version and save the person's as a patch. */
  takeNew: boolean;
  /** End an unfinished run as aborted and begin anew. */
  fresh: boolean;
  /** Go on with a run whose journal has lines that cannot be read. */
  acceptDamage: boolean;
  /** File for a transcript of the run so far, written however the command ends. */
  record?: string;
  /** `feature` may open a run, `resume` needs one. */
  mode: 'feature' | 'resume';
}

export interface RunOutcome {
  status: 'completed' | 'paused';
  run: string;
  feature: string;
  /** Absolute path of the project. */
  root: string;
  /** Folder of the feature, from the project root. */
  folder: string;
  pausedAfter?: string;
  commit?: string;
  branch?: string;
  /** Why there is no commit, when there is none. */
  notCommitted?: string;
  artifacts: string[];
  tests: string[];
  code: string[];
  criteria: { id: string; proven: boolean; red: string }[];
  /** Absolute path of the recording, when one was written. */
  recorded?: string;
  /** Things a person should know, such as files of theirs that were present at verification. */
  notes: string[];
}

export interface StepStatus {
  step: string;
  kind: 'stage' | 'program';
  role?: string;
  persona?: string;
  /** `stale` passed before and would run again; `adopted` came without a journal. */
  state: 'open' | 'running' | 'passed' | 'stale' | 'skipped' | 'failed';
  reasons: string[];
  attempts: AttemptSummary[];
  /** Milliseconds over all attempts. */
  time: number;
  usage: Usage;
  /** US dollars by the price table and the configuration; 0 where no tokens were used. */
  cost: Cost;
}

export interface ArtifactStatus {
  path: string;
  step: string;
  state: 'fresh' | 'stale' | 'missing' | 'broken';
  edited: boolean;
  /** Made with an older recipe: shown, makes nothing stale. */
  olderRecipe: boolean;
  reasons: string[];
}

/** One part of what a stage is told. Tokens are an estimate. */
export interface ContextPart {
  name: string;
  characters: number;
  tokens: number;
  text: string;
}

/** What a stage would be started with now. */
export interface StageContext {
  feature: string;
  stage: string;
  /** The attempt that would be told this: the next one, or the one that is open. */
  attempt: number;
  /** Whether that attempt has begun and goes on with its recorded prompt. */
  isOpen: boolean;
  /** Why an attempt that is open will be ended in favour of the next one. */
  superseded?: string;
  parts: ContextPart[];
  /** Inputs that do not fit, by name. */
  leftOut: string[];
  /** What the stage is made from, by name. */
  inputs: string[];
  total: { characters: number; tokens: number };
  warnings: string[];
}

export interface FeatureStatus {
  feature: string;
  run?: string;
  state: 'none' | 'running' | 'paused' | 'completed' | 'aborted';
  pausedAt?: { step: string; reason: string; message: string };
  engine?: string;
  steps: StepStatus[];
  artifacts: ArtifactStatus[];
  criteria: { id: string; proven: boolean; red: string }[];
  commit?: string;
  branch?: string;
  /** Skipped steps and dropped work that nobody has settled. */
  open: string[];
  warnings: string[];
  /** Of all steps of the run. */
  usage: Usage;
  cost: Cost;
  /** Date of the price table, where a cost was computed with it. */
  pricesOf: string;
}
