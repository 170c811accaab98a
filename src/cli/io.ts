import { addAbortSignal } from 'node:stream';
import type { Question } from '../model/api.ts';
import type { Screen } from './live-line.ts';

/** What a report of a bug must name. */
export interface ProgramFacts {
  version: string;
  node: string;
  platform: string;
  /** Address, or words for who it is. */
  reportTo: string;
}

/** Everything the command line knows of the world around it. */
export interface Io {
  out(text: string): void;
  err(text: string): void;
  env: Record<string, string | undefined>;
  cwd: string;
  /** Whether a person can be asked. */
  isTerminal: boolean;
  /** Columns of standard output; 0 when unknown. */
  columns: number;
  colour: { out: boolean; err: boolean };
  /** Standard error as a place to draw on, with a clock. */
  screen: Screen;
  program(): ProgramFacts;
  /** Everything on standard input; rejects when the signal fires. */
  readStdin(signal: AbortSignal): Promise<string>;
  /** The value a person chose. Rejects with `PersonNeededError` when they chose none, or with the signal's reason. */
  ask(question: Question, signal: AbortSignal): Promise<string>;
  /** A line a person typed; `undefined` when they did not. Rejects with the signal's reason. */
  askText(message: string, signal: AbortSignal): Promise<string | undefined>;
}

/** The real world: this process and its streams. */
export function createIo(program: () => ProgramFacts): Io {
  const { stdin, stdout, stderr, env } = process;
  return {
    out: (text) => void stdout.write(text),
    err: (text) => void stderr.write(text),
    env,
    cwd: process.cwd(),
    isTerminal: stdin.isTTY && stderr.isTTY && !isOn(env['CI']),
    columns: stdout.isTTY ? stdout.columns : 0,
    colour: { out: wantsColour(stdout.isTTY, env), err: wantsColour(stderr.isTTY, env) },
    screen: createScreen(),
    program,
    readStdin: async (signal) => {
      let text = '';
      stdin.setEncoding('utf8');
      for await (const chunk of addAbortSignal(signal, stdin)) text += String(chunk);
      return text;
    },
    ask: askInTerminal,
    askText: async (message, signal) => {
      const { text, isCancel } = await import('@clack/prompts');
      // Talk goes to standard error: standard output may be a file, or hold JSON.
      const answer = await text({ message, output: stderr, signal });
      signal.throwIfAborted();
      return isCancel(answer) ? undefined : answer;
    },
  };
}

function createScreen(): Screen {
  const { stderr, env } = process;
  return {
    write: (text) => void stderr.write(text),
    // Asked each time: a window changes its size.
    columns: () => stderr.columns ?? 0,
    now: () => performance.now(),
    every: (milliseconds, tick) => {
      // A picture of a run must not keep the process alive.
      const timer = setInterval(tick, milliseconds).unref();
      return () => clearInterval(timer);
    },
    isLive: stderr.isTTY && env['TERM'] !== 'dumb' && !isOn(env['CI']),
  };
}

async function askInTerminal({ text, choices }: Question, signal: AbortSignal): Promise<string> {
  const { select, isCancel } = await import('@clack/prompts');
  const options = choices.map(({ value, label }) => ({ value, label }));
  const answer = await select({ message: text, options, output: process.stderr, signal });
  signal.throwIfAborted();
  if (!isCancel(answer)) return answer;
  const { PersonNeededError } = await import('../errors.ts');
  throw new PersonNeededError(`No answer: ${text}`, { hint: 'The question is asked again when the run is resumed.' });
}

/** NO_COLOR and TERM=dumb switch colour off, FORCE_COLOR decides before the terminal does. */
function wantsColour(isTTY: boolean | undefined, env: Record<string, string | undefined>): boolean {
  if (env['NO_COLOR']) return false;
  if (env['FORCE_COLOR'] !== undefined) return env['FORCE_COLOR'] === '' || isOn(env['FORCE_COLOR']);
  return isTTY === true && env['TERM'] !== 'dumb';
}

function isOn(value: string | undefined): boolean {
  return value !== undefined && !['', '0', 'false'].includes(value.toLowerCase());
}
