import { PersonNeededError } from '../errors.ts';
import type { CommandResult, Processes } from '../model/ports.ts';
import type { Environment } from '../util/environment.ts';

/** Git failed where it had to succeed, so a person has to look at the repository. The text is git's own. */
export class GitError extends PersonNeededError {}

export interface GitCall {
  /** Text for standard input. */
  input?: string;
  /** Whether the call changes the repository. Reading calls take no lock that a person's own git could meet. */
  writes?: boolean;
  /** Milliseconds. */
  timeout?: number;
}

/** Runs git in one folder. */
export interface Git {
  /** Absolute path of the folder git runs in. */
  folder: string;
  /** Resolves for every exit code. */
  call(argumentsOf: string[], options?: GitCall): Promise<CommandResult>;
  /** Output of a call that has to succeed. Throws `GitError`. */
  output(argumentsOf: string[], options?: GitCall): Promise<string>;
}

const OUTPUT_LIMIT = 64 * 1024 * 1024;
const TIMEOUT = 120_000;

/** Git in a folder. `env` is asked only for who the person is and where their configuration lies. */
export function createGit({ folder, processes, env }: { folder: string; processes: Processes; env: Environment }): Git {
  const own = ownSettings(env);
  async function call(argumentsOf: string[], { input, writes = false, timeout = TIMEOUT }: GitCall = {}) {
    return processes.run({
      argv: ['git', ...argumentsOf],
      cwd: folder,
      timeout,
      outputLimit: OUTPUT_LIMIT,
      env: { ...own, ...(writes ? WRITING : READING) },
      ...(input === undefined ? {} : { input }),
    });
  }
  return {
    folder,
    call,
    async output(argumentsOf, options) {
      const result = await call(argumentsOf, options);
      if (result.exitCode === 0 && result.bytes <= OUTPUT_LIMIT) return result.stdout;
      throw new GitError(`git ${argumentsOf[0]} failed: ${textOf(result)}`);
    },
  };
}

/** What git said, for a person; how it ended when it said nothing. */
export function textOf(result: CommandResult): string {
  const text = [result.stderr, result.stdout]
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .join('\n');
  if (result.timedOut) return `it did not end within its time limit. ${text}`.trim();
  return text === '' ? `it ended with ${result.exitCode ?? result.signal} and said nothing.` : text;
}

/** Splits a `-z` list. */
export function splitNul(text: string): string[] {
  return text.split('\0').filter((part) => part !== '');
}

/** Takes the name of a path for what it is: `:` and `*` have no meaning in it. */
export function literalPathspec(path: string): string {
  return `:(literal)${path}`;
}

const READING = { LC_ALL: 'C', LANGUAGE: 'C', GIT_OPTIONAL_LOCKS: '0' };
// Hooks run in this one: English for us, and UTF-8 for them.
const WRITING = { LC_ALL: 'C.UTF-8', LANGUAGE: 'C' };

/**
 * GIT_DIR, GIT_INDEX_FILE and their like are gone from the environment of every command: started from a hook, they would
 * point our calls at another repository. These do not, and without them a person who has no other identity has none.
 */
const OWN_SETTINGS = [
  'GIT_AUTHOR_NAME',
  'GIT_AUTHOR_EMAIL',
  'GIT_COMMITTER_NAME',
  'GIT_COMMITTER_EMAIL',
  'GIT_CONFIG_GLOBAL',
  'GIT_CONFIG_NOSYSTEM',
  'GIT_CONFIG_SYSTEM',
];

function ownSettings(env: Environment): Record<string, string> {
  const settings: Record<string, string> = {};
  for (const name of OWN_SETTINGS) {
    const value = env[name];
    if (value !== undefined) settings[name] = value;
  }
  return settings;
}
