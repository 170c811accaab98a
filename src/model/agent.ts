import type { Reply, Usage } from './engine.ts';
import type { Failure } from './failure.ts';
import type { FileChange } from './ports.ts';

export interface RecordedCall {
  tool: string;
  kind: 'answer' | 'write' | 'command' | 'submission';
  ended: boolean;
  /** What the model was told; for a write it is known from the start. */
  text: string;
  error: boolean;
  accepted: boolean;
  /** Why the call failed its attempt, or may not stay as it is. */
  failure?: Failure;
  /** Whether no further turn can mend that. */
  final?: boolean;
}

/** What the turn loop needs of the journal: replies and calls of one attempt, as recorded, and ways to record more. */
export interface AttemptRecord {
  turn(turn: number): Promise<Reply | undefined>;
  recordTurn(turn: number, reply: Reply, duration: number): Promise<void>;
  /** Older results were shortened so that the request of this turn fits; tokens are estimates. */
  /** Tokens of a try of this turn that broke off. */
  recordLost(turn: number, usage: Usage): Promise<void>;
  recordTrim(turn: number, trim: { calls: string[]; before: number; after: number }): Promise<void>;
  call(turn: number, id: string): Promise<RecordedCall | undefined>;
  /** Recorded before a call has an effect. */
  startCall(turn: number, id: string, start: { tool: string; kind: 'command' | 'submission' } | WriteStart): Promise<void>;
  endCall(turn: number, id: string, end: CallEnd): Promise<void>;
}

export interface WriteStart {
  tool: string;
  kind: 'write';
  change: FileChange;
  before: Uint8Array | undefined;
  bytes: Uint8Array;
  text: string;
}

export interface CallEnd {
  tool: string;
  kind: RecordedCall['kind'];
  text: string;
  error: boolean;
  changed?: FileChange[];
  accepted?: boolean;
  failure?: Failure;
  final?: boolean;
}

export interface AgentLimits {
  turns: number;
  /** Tokens of input and output together; what is read from a cache does not count. */
  tokens: number;
  /** Milliseconds of one attempt in one process. */
  time: number;
  /** How often a role may mend a submission in the same conversation. */
  mendRounds: number;
}

export type SubmitResult = { accepted: true; text: string } | { accepted: false; text: string; failure: Failure; final?: boolean };

export type AgentResult = { kind: 'finished' } | { kind: 'failed'; failure: Failure };
