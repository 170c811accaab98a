import { execFile, spawnSync } from 'node:child_process';
import { BIN } from './project.ts';

/** Runs a program in a pseudo-terminal, sends keys once a text has been seen, and hands all bytes through. */
const IN_TERMINAL = `
import fcntl, os, pty, select, struct, sys, termios, time
columns, seconds, wait, argv = int(sys.argv[1]), float(sys.argv[2]), float(sys.argv[3]), sys.argv[6:]
wanted, keys = sys.argv[4].encode(), sys.argv[5].encode()
child, screen = pty.fork()
if child == 0:
    fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack('HHHH', 24, columns, 0, 0))
    os.execvp(argv[0], argv)
seen, end, is_sent = b'', time.time() + seconds, keys == b''
while time.time() < end:
    if not select.select([screen], [], [], 0.2)[0]: continue
    try: more = os.read(screen, 65536)
    except OSError: more = b''
    if not more: break
    seen += more
    if not is_sent and wanted in seen:
        is_sent = True
        time.sleep(wait)
        os.write(screen, keys)
else:
    os.kill(child, 9)
sys.stdout.buffer.write(seen)
sys.stdout.flush()
status = os.waitpid(child, 0)[1]
sys.exit(os.WEXITSTATUS(status) if os.WIFEXITED(status) else 99)
`;

export interface TerminalOptions {
  cwd: string;
  env: Record<string, string>;
  columns: number;
  /** What is typed, the text to see before, and the seconds to let go by then. */
  keys?: { when: string; type: string; after?: number };
}

/** Whether this machine can make a pseudo-terminal for a test. */
export function hasTerminal(): boolean {
  return spawnSync('python3', ['-c', 'import fcntl, pty, termios'], { timeout: 10_000 }).status === 0;
}

/** Runs the built command line in a pseudo-terminal; killed after 40 s. Both streams arrive as one. */
export function runInTerminal(args: string[], { cwd, env, columns, keys }: TerminalOptions): Promise<{ code: number; raw: string }> {
  const how = [String(columns), '40', String(keys?.after ?? 0), keys?.when ?? '', keys?.type ?? ''];
  return new Promise((resolve) => {
    const child = execFile(
      'python3',
      ['-c', IN_TERMINAL, ...how, process.execPath, BIN, ...args],
      { cwd, env: { ...env, TERM: 'xterm' }, timeout: 50_000, killSignal: 'SIGKILL', maxBuffer: 16_000_000 },
      (_error, stdout) => resolve({ code: child.exitCode ?? -1, raw: stdout }),
    );
  });
}

/** What stands on the screen in the end, line by line: carriage returns, line feeds and erasing, as a terminal does them. */
export function screenOf(raw: string): string[] {
  const lines: string[][] = [[]];
  let column = 0;
  // oxlint-disable-next-line no-control-regex -- finding them is what it is for
  for (const [piece] of raw.matchAll(/\u001b\[[0-9;?]*[A-Za-z]|[^]/gu)) {
    const line = lines.at(-1) ?? [];
    if (piece === '\r') column = 0;
    else if (piece === '\n') lines.push([]);
    else if (piece.endsWith('[2K')) line.length = 0;
    else if (piece.endsWith('[K')) line.length = Math.min(line.length, column);
    else if (!piece.startsWith('\u001b')) {
      line[column] = piece;
      column += 1;
    }
  }
  return lines.map((line) => Array.from(line, (piece) => piece ?? ' ').join(''));
}
