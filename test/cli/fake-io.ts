import type { Io } from '../../src/cli/io.ts';
import { main } from '../../src/cli/main.ts';

export interface Told {
  code: number;
  out: string;
  err: string;
}

/** Runs the command line in this process with a world that only remembers. */
export async function tell(argv: string[], world: Partial<Io> = {}, signal = new AbortController().signal): Promise<Told> {
  const told = { out: '', err: '' };
  const io: Io = {
    out: (text) => void (told.out += text),
    err: (text) => void (told.err += text),
    env: {},
    cwd: '/',
    isTerminal: false,
    columns: 0,
    colour: { out: false, err: false },
    screen: { write: (text) => void (told.err += text), columns: () => 0, now: () => 0, every: () => () => undefined, isLive: false },
    program: () => ({ version: '1.2.3', node: '20.12.0', platform: 'linux x64', reportTo: 'https://example.com/issues' }),
    readStdin: () => Promise.resolve(''),
    ask: () => Promise.reject(new Error('nobody is there')),
    askText: () => Promise.resolve(undefined),
    ...world,
  };
  return { code: await main(argv, io, signal), ...told };
}
