import { setTimeout as delay } from 'node:timers/promises';
import { InternalError } from '../errors.ts';
import type { CommandRequest, CommandResult } from '../model/ports.ts';
import { createCappedOutput } from './capped-output.ts';
import { endGroup, signalGroup, type Kill } from './process-group.ts';

/** What running a command needs of the system. */
export interface CommandSystem {
  kill: Kill;
  /** Milliseconds that only ever grow. */
  monotonic(): number;
}

/** Milliseconds a command that was told to end has before it is killed. */
const GRACE = 1000;
/** Milliseconds for the pipes to deliver what is in them once everybody known is gone. */
const DRAIN = 200;
const LONGEST_TIMER = 2 ** 31 - 1;
const DEFAULT_OUTPUT_LIMIT = 64 * 1024;

/**
 * Runs one command in a process group of its own and settles less than a second after the command itself has exited,
 * whoever still holds its pipes. Rejects only with the abort reason.
 */
export async function runCommand(request: CommandRequest, env: Record<string, string>, system: CommandSystem): Promise<CommandResult> {
  request.signal?.throwIfAborted();
  const started = system.monotonic();
  // Loaded on first use: it is a sixth of a second that most commands of the tool do not need.
  const { execa } = await import('execa');
  const child = start(execa, request, env);
  const stdout = collect(child.stdout, request.outputLimit);
  const stderr = collect(child.stderr, request.outputLimit);
  const deadline = watchDeadline(request, (signal) => {
    if (child.pid !== undefined) signalGroup(child.pid, signal, system.kill);
  });

  // execa's own promise waits for the pipes, which a grandchild can keep open for ever: only the exit counts. Without
  // a process there is no exit, and its promise is what tells.
  const exit = new Promise<{ exitCode?: number | undefined; signal?: string | undefined }>((resolve) => {
    child.once('exit', (code, signal) => resolve({ exitCode: code ?? undefined, signal: signal ?? undefined }));
  });
  const end = await Promise.race([exit, child]);
  deadline.stop();
  const leftBehind = child.pid === undefined ? [] : await endGroup(child.pid, system.kill);
  await Promise.race([Promise.all([stdout.closed, stderr.closed]), delay(DRAIN)]);
  stdout.close();
  stderr.close();
  request.signal?.throwIfAborted();

  const notFound = child.pid === undefined;
  return {
    exitCode: notFound || end.signal !== undefined ? undefined : end.exitCode,
    signal: notFound ? undefined : end.signal,
    notFound,
    timedOut: deadline.reached(),
    stdout: stdout.text(),
    stderr: notFound ? reasonOf(end, request) : stderr.text(),
    bytes: stdout.bytes() + stderr.bytes(),
    leftBehind,
    duration: system.monotonic() - started,
  };
}

type Execa = (typeof import('execa'))['execa'];

function start(execa: Execa, request: CommandRequest, env: Record<string, string>) {
  const [program, ...argumentsOf] = request.argv;
  if (program === undefined) throw new InternalError('A command needs a program: its argv is empty.');
  const child = execa(program, argumentsOf, {
    cwd: request.cwd,
    env: { ...env, ...request.env },
    extendEnv: false,
    stdin: request.input === undefined ? 'ignore' : 'pipe',
    stdout: 'pipe',
    stderr: 'pipe',
    detached: true,
    cleanup: false,
    buffer: false,
    reject: false,
  });
  child.stdin?.on('error', () => {}); // EPIPE: it ended without reading all of its input.
  child.stdin?.end(request.input);
  return child;
}

/** Ends the group at the time limit or on abort: first asked, then forced. */
function watchDeadline(request: CommandRequest, signalAll: (signal: NodeJS.Signals) => void) {
  let reached = false;
  let force: NodeJS.Timeout | undefined;
  const end = () => {
    signalAll('SIGTERM');
    force ??= setTimeout(() => signalAll('SIGKILL'), GRACE);
  };
  const timer = setTimeout(
    () => {
      reached = true;
      end();
    },
    Math.min(request.timeout, LONGEST_TIMER),
  );
  request.signal?.addEventListener('abort', end, { once: true });
  // The abort may have come while execa was loading, before anybody listened.
  if (request.signal?.aborted === true) end();
  return {
    reached: () => reached,
    stop() {
      clearTimeout(timer);
      clearTimeout(force);
      request.signal?.removeEventListener('abort', end);
    },
  };
}

function collect(stream: NodeJS.ReadableStream & { destroy(): unknown }, limit = DEFAULT_OUTPUT_LIMIT) {
  const output = createCappedOutput(limit);
  stream.on('data', (chunk: Uint8Array) => output.add(chunk));
  stream.on('error', () => {}); // A pipe that breaks is the end of the output.
  return {
    closed: new Promise<void>((resolve) => stream.once('close', resolve)),
    close: () => stream.destroy(),
    text: () => output.text(),
    bytes: () => output.bytes,
  };
}

function reasonOf(end: object, request: CommandRequest): string {
  const reason = 'shortMessage' in end ? String(end.shortMessage) : '';
  return `${request.argv[0]} could not be started. ${reason}`.trim();
}
