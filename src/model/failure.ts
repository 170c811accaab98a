/** What a check reports: one problem at one place. */
export interface Finding {
  /** Stable id of the check, e.g. `schema`, `template`, `criterion-untested`. */
  rule: string;
  severity: 'error' | 'warning';
  /** "Unexpected X, expected Y": one sentence, with the value in it. */
  message: string;
  /** Path from the project root, when the finding is about a file. */
  file?: string;
  /** 1-based. */
  line?: number;
  /** 1-based, in UTF-16 units. */
  column?: number;
  /** Path into submitted data, e.g. `criteria[2].given[0]`. */
  field?: string;
  /** How to mend it. */
  hint?: string;
}

export type FailureKind =
  | 'invalid-submission'
  | 'guardrail'
  | 'no-artifact'
  | 'not-red'
  | 'tests-red'
  | 'verification-red'
  | 'protected-test-changed'
  | 'truncated'
  | 'refusal'
  | 'context-overflow'
  | 'limit'
  | 'loop'
  | 'engine';

/** Why an attempt did not pass, as data that survives a journal. */
export interface Failure {
  kind: FailureKind;
  message: string;
  findings?: Finding[];
}

/**
 * Why a run stops though no attempt has failed: the engine cannot answer now, or a limit of the whole run is reached.
 * What has been recorded of the attempt stays, and a resume goes on with it.
 */
export type StopKind = 'auth' | 'request' | 'rate-limit' | 'overload' | 'spend-limit' | 'network' | 'budget' | 'turns' | 'time';
