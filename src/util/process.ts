import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import type { Processes } from '../model/ports.ts';
import { runCommand } from './command.ts';
import { scrubEnvironment, type Environment } from './environment.ts';
import { readBoot, readStart } from './process-facts.ts';

/** Runs commands with what is left of `env` once keys and redirections are taken out of it. */
export function createProcesses({ env }: { env: Environment }): Processes {
  const scrubbed = scrubEnvironment(env);
  const system = { kill: (id: number, signal: NodeJS.Signals | 0) => void process.kill(id, signal), ...systemClock };
  return { run: (request) => runCommand(request, scrubbed, system) };
}

/** Names one process beyond doubt: ids are used again, the pair of boot and start is not. */
export interface ProcessIdentity {
  pid: number;
  host: string;
  /** Names the boot of the machine; `undefined` where the system does not tell. */
  boot: string | undefined;
  /** When the process started, in the system's own unit; `undefined` where the system does not tell. */
  start: string | undefined;
}

/** Identity of a process of this machine, by default of this one. */
export async function processIdentity(pid: number = process.pid): Promise<ProcessIdentity> {
  const [boot, start] = await Promise.all([readBoot(process.platform), readStart(pid, process.platform)]);
  return { pid, host: hostname(), boot, start };
}

/**
 * Whether the process is running: same host, same boot, the id lives and its start is the same. A process of another
 * host cannot be seen from here and is answered with `false`: who must not take that for "ended" compares `host` first.
 */
export async function isAlive(identity: ProcessIdentity): Promise<boolean> {
  if (identity.host !== hostname()) return false;
  if (!isRunning(identity.pid)) return false;
  const now = await processIdentity(identity.pid);
  return isSame(identity.boot, now.boot) && isSame(identity.start, now.start);
}

/** Whether a process with this id exists on this machine, whichever it is. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it is there and belongs to somebody else.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** A fact that one side does not have cannot tell two processes apart. */
function isSame(one: string | undefined, other: string | undefined): boolean {
  return one === undefined || other === undefined || one === other;
}

/** Id of this process. */
export function currentPid(): number {
  return process.pid;
}

/** Milliseconds: `now` since the epoch, `monotonic` since some moment, never going back. */
export interface Clock {
  now(): number;
  monotonic(): number;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
};

/** Twice as many hexadecimal digits as bytes, from the system's secure source. */
export function randomHex(bytes: number): string {
  return randomBytes(bytes).toString('hex');
}
