import type { Border, FileChange, Processes, CommandResult } from './ports.ts';
import type { ToolDescription } from './engine.ts';

export interface ToolContext {
  border: Border;
  processes: Processes;
  /** Absolute path of the project root. */
  root: string;
  signal: AbortSignal;
  /** Milliseconds a command may take. */
  commandTimeout: number;
}

/**
 * What a call amounts to, decided before anything changes:
 * `answer` is done; `write` is bytes for the caller to record and put in place; `command` is work with effects of its
 * own.
 */
export type PreparedCall =
  | { kind: 'answer'; text: string; isError?: boolean }
  | { kind: 'write'; change: FileChange; bytes: Uint8Array; before: Uint8Array | undefined; text: string }
  | { kind: 'command'; run(): Promise<{ text: string; isError: boolean; result: CommandResult }> };

/**
 * Something a model may call. `prepare` checks the input and reads what it must, but changes nothing. A fault of the
 * caller (bad input, a path outside the border, no such file) is an `answer` with `isError`; it rejects only with the
 * abort reason or an error of the system.
 */
export interface Tool extends ToolDescription {
  prepare(input: unknown, context: ToolContext): Promise<PreparedCall>;
}
