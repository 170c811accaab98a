import type { TestResult } from './test-result.ts';

/**
 * Files of the project, by absolute path. A read of a missing file is `undefined`; every other fault rejects with the
 * system's error.
 */
export interface Files {
  read(path: string): Promise<Uint8Array | undefined>;
  /**
   * Puts bytes in place through a temporary file beside the real target (links are followed first), synced, then
   * renamed: a reader sees the old bytes or the new ones. Folders are made. Keeps the mode of an existing file.
   */
  replace(path: string, bytes: Uint8Array): Promise<void>;
  /** Removes a file; a missing one is fine. */
  remove(path: string): Promise<void>;
}

export interface CommandRequest {
  /** Program and arguments; no shell is involved unless the program is one. */
  argv: string[];
  /** Absolute. */
  cwd: string;
  /** Milliseconds; the whole process group ends when it is reached. */
  timeout: number;
  /** Added to the scrubbed environment. */
  env?: Record<string, string>;
  signal?: AbortSignal;
  /** Text for standard input; without it standard input is empty. */
  input?: string;
  /** Most bytes of output kept per stream, half from the head and half from the tail. Default 64 KiB. */
  outputLimit?: number;
}

/** How a command ended. Exactly one of `exitCode` and `signal` is set once it has started; `notFound` when it never did. */
export interface CommandResult {
  exitCode: number | undefined;
  signal: string | undefined;
  notFound: boolean;
  timedOut: boolean;
  stdout: string;
  stderr: string;
  /** Bytes written by the command, kept or not. */
  bytes: number;
  /** Command lines of processes it left behind; they were ended. */
  leftBehind: string[];
  /** Milliseconds, monotonic. */
  duration: number;
}

export interface Processes {
  /**
   * Runs a command in its own process group with empty standard input, no editor and no pager. Resolves for every
   * outcome of the command itself; rejects only with the abort reason.
   */
  run(request: CommandRequest): Promise<CommandResult>;
}

/** Where one test file or test command stands: every named test, and why a file could not be loaded. */
export interface TestRun {
  command: string;
  exitCode: number | undefined;
  timedOut: boolean;
  tests: TestResult[];
  /** Output for people, capped. */
  output: string;
  /** Command lines of processes left behind. */
  leftBehind: string[];
}

/** Runs a project's tests so that each named test has a result. */
export interface TestRunner {
  name: string;
  /** Runs these files (paths from the project root), or the whole suite without any. */
  run(files: string[], context: { signal?: AbortSignal; timeout: number }): Promise<TestRun>;
}

/** The border: which paths a tool may reach. */
export interface Border {
  /**
   * Turns what a model wrote as a path into an absolute, canonical one inside the project. Links are followed; a target
   * that does not exist yet is judged by its nearest existing parent. Rejects with `BorderError`-like `Error` whose
   * message is meant for the model, naming the path and the rule.
   */
  resolve(path: string, intent: 'read' | 'write'): Promise<{ absolute: string; relative: string }>;
}

/**
 * One change to one file: digests of the bytes before and after; `null` is "no file". Where a command changed a file that
 * git knew as clean, `before` is `head`: what HEAD holds.
 */
export interface FileChange {
  /** Path from the project root, with forward slashes. */
  path: string;
  before: string | null;
  after: string | null;
}

/** The git repository around the project, or none. */
export interface Repository {
  /** Absolute path of the work tree's top. */
  root: string;
  /** Current commit, or `null` in a repository without commits. */
  head(): Promise<string | null>;
  /** Current branch, or `null` when HEAD is detached. */
  branch(): Promise<string | null>;
  /** Paths (from the project root) that differ from HEAD: staged, unstaged and untracked. */
  dirtyPaths(): Promise<string[]>;
  /** Of these paths (from the project root), the ones that git is told to ignore. */
  ignored(paths: string[]): Promise<string[]>;
  /** Whether these bytes are what HEAD holds at a path, after git's own clean filters; both absent is the same. */
  sameAsHead(path: string, bytes: Uint8Array | undefined): Promise<boolean>;
  /** First commit reachable from HEAD with this trailer, newest first. */
  findByTrailer(key: string, value: string): Promise<string | undefined>;
  /** Moves HEAD (and nothing else) to a branch for the feature, made if needed; returns the name it found free. */
  startBranch(slug: string): Promise<string>;
  /**
   * Commits exactly these paths as they are on disk (absent ones as deletions); what a person staged stays staged.
   * Returns the commit's id. Rejects with `CommitRefused` text from git in `message`; the index is then as before.
   */
  commit(paths: string[], message: string): Promise<string>;
}
