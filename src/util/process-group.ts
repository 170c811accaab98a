import { execFile } from 'node:child_process';
import { readFile, readdir } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';

/** Sends a signal like `process.kill`: a negative id means the group; throws when there is nobody to receive it. */
export type Kill = (id: number, signal: NodeJS.Signals | 0) => void;

/** Milliseconds that members have to end by themselves once the leader has. */
const LINGER = 100;
/** Milliseconds between SIGTERM and SIGKILL. */
const GRACE = 300;
/** Milliseconds between two looks. */
const STEP = 20;

/**
 * Ends what is left of a process group whose leader has exited, and returns the command lines of what had to be ended.
 * Takes less than a second. A process that left the group (`setsid`) is out of reach.
 */
export async function endGroup(group: number, kill: Kill): Promise<string[]> {
  // The other members of a pipeline are often just about to end: not yet a thing to report.
  if (await until(async () => !isThere(group, kill), LINGER)) return [];
  const members = await listGroup(group);
  if (members.length === 0) return [];
  signalGroup(group, 'SIGTERM', kill);
  if (!(await until(async () => (await listGroup(group)).length === 0, GRACE))) {
    signalGroup(group, 'SIGKILL', kill);
    await until(async () => (await listGroup(group)).length === 0, GRACE);
  }
  return members;
}

/** Signals every member of a group; a group that is gone is fine. */
export function signalGroup(group: number, signal: NodeJS.Signals, kill: Kill): void {
  try {
    kill(-group, signal);
  } catch {
    // ESRCH: it ended between our look and the signal. EPERM (macOS): only zombies are left.
  }
}

function isThere(group: number, kill: Kill): boolean {
  try {
    kill(-group, 0);
    return true;
  } catch {
    return false;
  }
}

async function until(condition: () => Promise<boolean>, milliseconds: number): Promise<boolean> {
  for (let waited = 0; ; waited += STEP) {
    if (await condition()) return true;
    if (waited >= milliseconds) return false;
    await delay(STEP);
  }
}

/** Command lines of the living members of a group; zombies, which only wait to be reaped, are not among them. */
async function listGroup(group: number): Promise<string[]> {
  // Slim container images have no `ps`, and every Linux has /proc.
  return (await listFromProc(group)) ?? (await listFromPs(group));
}

async function listFromProc(group: number): Promise<string[] | undefined> {
  const names = await readdir('/proc').catch((): string[] => []);
  if (!names.includes('self')) return undefined;
  const lines = await Promise.all(names.filter((name) => /^\d+$/.test(name)).map((pid) => lineFromProc(pid, group)));
  return lines.filter((line) => line !== undefined);
}

async function lineFromProc(pid: string, group: number): Promise<string | undefined> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    // The name in parentheses may hold spaces and parentheses: the fields are counted from the last one.
    const [state, , pgid] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (Number(pgid) !== group || state === 'Z' || state === 'X') return undefined;
    const line = (await readFile(`/proc/${pid}/cmdline`, 'utf8')).replaceAll('\0', ' ').trim();
    return line === '' ? stat.slice(stat.indexOf('('), stat.lastIndexOf(')') + 1) : line;
  } catch {
    return undefined; // It ended while we looked.
  }
}

async function listFromPs(group: number): Promise<string[]> {
  const table = await new Promise<string>((resolve) => {
    execFile('ps', ['-A', '-o', 'pid=,pgid=,stat=,args='], { timeout: 2000 }, (_, stdout) => resolve(stdout));
  });
  return table.split('\n').flatMap((row) => {
    const [, , pgid, state, line] = /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/.exec(row) ?? [];
    return Number(pgid) === group && state?.startsWith('Z') === false ? [line ?? ''] : [];
  });
}
