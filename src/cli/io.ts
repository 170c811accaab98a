import type { Question } from '../model/api.ts';

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
  readStdin(): Promise<string>;
  ask(question: Question): Promise<string>;
  askText(message: string): Promise<string | undefined>;
}

export function createIo(): Io {
  const { stdin, stdout, stderr, env } = process;
  const isTerminal = stdin.isTTY === true && stderr.isTTY === true && !env['CI'];
  return {
    out: (text) => void stdout.write(text),
    err: (text) => void stderr.write(text),
    env,
    cwd: process.cwd(),
    isTerminal,
    columns: stdout.isTTY ? stdout.columns : 0,
    colour: { out: wantsColour(stdout.isTTY, env), err: wantsColour(stderr.isTTY, env) },
    readStdin: async () => {
      let text = '';
      stdin.setEncoding('utf8');
      for await (const chunk of stdin) text += String(chunk);
      return text;
    },
    ask: askInTerminal,
    askText: async (message) => {
      const { text, isCancel } = await import('@clack/prompts');
      const answer = await text({ message });
      return isCancel(answer) ? undefined : answer;
    },
  };
}

async function askInTerminal({ text, choices }: Question): Promise<string> {
  const { select, isCancel } = await import('@clack/prompts');
  const answer = await select({ message: text, options: choices.map(({ value, label }) => ({ value, label })) });
  if (!isCancel(answer)) return answer;
  const { PersonNeededError } = await import('../errors.ts');
  throw new PersonNeededError(`No answer: ${text}`, { hint: 'The question is asked again when the run is resumed.' });
}

/** NO_COLOR and TERM=dumb switch colour off, FORCE_COLOR switches it on, else it follows the terminal. */
function wantsColour(isTTY: boolean, env: Record<string, string | undefined>): boolean {
  if (env['NO_COLOR']) return false;
  if (env['FORCE_COLOR'] && env['FORCE_COLOR'] !== '0') return true;
  return isTTY && env['TERM'] !== 'dumb';
}
