import { join } from 'node:path';
import type { Hooks, RunOptions } from '../model/api.ts';
import type { Engine } from '../model/engine.ts';
import type { NewEvent } from '../model/event.ts';
import type { Journal } from '../model/journal.ts';
import type { Border, Files, Processes, Repository, TestRunner } from '../model/ports.ts';
import type { RunState } from '../model/state.ts';
import type { Tool } from '../model/tool.ts';
import type { Config } from '../config/schema.ts';
import type { Library } from '../roles/library.ts';
import type { Role } from '../roles/role.ts';
import { applyEvent } from '../journal/fold.ts';
import { cleanWords } from '../text/clean.ts';
import { bytesDigest } from '../text/digest.ts';
import type { StepDefinition } from './steps.ts';

export interface Project {
  /** Absolute path of the folder that holds `.blueprint`. */
  root: string;
  config: Config;
  steps: StepDefinition[];
  library: Library;
  roles: Map<string, Role>;
  /** Facts about the project that every role is told. */
  facts: string[];
}

/** Everything a run works with: one flat object, made in the composition root, faked in tests at its ports. */
export interface RunContext {
  project: Project;
  feature: string;
  /** Folder of the feature, from the project root. */
  folder: string;
  state: RunState;
  journal: Journal;
  files: Files;
  processes: Processes;
  repository: Repository | undefined;
  runner: TestRunner | undefined;
  noRunner: string | undefined;
  commands: { name: string; argv: string[] }[];
  engine: Engine | undefined;
  tools: Tool[];
  makeBorder(options: { mayTouch: string[]; protectedPaths: () => Iterable<string> }): Border;
  options: RunOptions;
  hooks: Hooks;
  /** Monotonic milliseconds at which this command began. */
  startedAt: number;
  clock: { now(): number; monotonic(): number };
  version: string;
  /** Takes the values of keys out of a text. */
  redact: (text: string) => string;
}

/** Appends an event, folds it into the state and tells it on: nothing counts before it is recorded. */
export async function record(context: RunContext, event: NewEvent): Promise<void> {
  // Whatever a model, a test or a file has said: no key of its words and no half of a character gets into the journal.
  const written = await context.journal.append(cleanWords(event, context.redact));
  applyEvent(context.state, written);
  context.hooks.emit(written);
}

export function note(context: RunContext, text: string, level: 'info' | 'warning' = 'info'): void {
  context.hooks.emit({ type: 'note', level, text });
}

export function absolute(context: RunContext, path: string): string {
  return join(context.project.root, path);
}

/** Digest of a file's bytes as they are now; null when there is none. */
export async function currentDigest(context: RunContext, path: string): Promise<string | null> {
  const bytes = await context.files.read(absolute(context, path));
  return bytes === undefined ? null : bytesDigest(bytes);
}

export async function readText(context: RunContext, path: string): Promise<string | undefined> {
  const bytes = await context.files.read(absolute(context, path));
  return bytes === undefined ? undefined : new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
}
