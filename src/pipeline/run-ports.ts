import type { RecordedTurn } from '../model/engine.ts';
import type { Journal } from '../model/journal.ts';
import type { Border, Files, Processes, Repository, TestRunner } from '../model/ports.ts';
import type { Tool } from '../model/tool.ts';
import type { LockPort } from '../journal/lock.ts';
import type { Project } from './context.ts';

/** What the composition root hands in: ports, and ways to make the things that depend on the project. */
export interface RunPorts {
  root: string;
  version: string;
  files: Files;
  processes: Processes;
  tools: Tool[];
  clock: { now(): number; monotonic(): number };
  random(bytes: number): string;
  /** Takes the values of keys out of a text. */
  redact: (text: string) => string;
  locks: LockPort;
  loadProject(): Promise<{ project: Project; warnings: string[] }>;
  openRepository(): Promise<Repository | undefined>;
  findIdentityProblem(): Promise<Error | undefined>;
  decorateJournal(journal: Journal): Journal;
  makeRunner(name: 'node:test' | 'vitest' | undefined): { runner: TestRunner | undefined; noRunner: string | undefined };
  commands: { name: string; argv: string[] }[];
  makeBorder(options: { mayTouch: string[]; protectedPaths: () => Iterable<string> }): Border;
  /** Recordings of runs, in the form in which an engine plays them. */
  recordings: { isTranscript(text: string): boolean; serialise(turns: RecordedTurn[], file: string): string };
  wait(milliseconds: number, signal: AbortSignal): Promise<void>;
}
