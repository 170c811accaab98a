import { link, mkdir, readFile, rename, unlink, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { hostname } from 'node:os';

/** What a lock file says of its holder. */
export interface LockHolder {
  pid: number;
  host: string;
  boot?: string | undefined;
  start?: string | undefined;
  feature: string;
  run?: string;
  /** Left behind on purpose by a run that is paused: nobody works under it now. */
  paused?: boolean;
  /** When it was taken, ISO. */
  since: string;
}

export interface LockPort {
  identity: Omit<LockHolder, 'feature' | 'run' | 'since'>;
  /** Whether the holder's process is running. Only asked for holders of this host. */
  isAlive(holder: LockHolder): Promise<boolean>;
  now(): number;
  random(): string;
}

export type LockAttempt =
  { taken: true; release(): Promise<void>; pause(): Promise<void> } | { taken: false; holder: LockHolder; isAlive: boolean };

/**
 * Tries once to take a lock file. A holder of this host whose process has ended is replaced when `mayReplace` agrees; a
 * holder of another host is never replaced and never signalled.
 */
export async function takeLock(
  path: string,
  claim: { feature: string; run?: string },
  port: LockPort,
  mayReplace: (holder: LockHolder) => Promise<boolean> = async () => true,
): Promise<LockAttempt> {
  const mine: LockHolder = { ...port.identity, ...claim, since: new Date(port.now()).toISOString() };
  const text = `${JSON.stringify(mine)}\n`;
  await mkdir(dirname(path), { recursive: true });
  for (let round = 0; round < 5; round += 1) {
    if (await createWhole(path, text, port)) {
      return { taken: true, release: () => releaseLock(path, text), pause: () => markPaused(path, text, mine, port) };
    }
    const found = await readLock(path);
    if (!found) continue;
    const isAlive = found.holder.paused !== true && (found.holder.host !== hostname() || (await port.isAlive(found.holder)));
    if (isAlive || !(await mayReplace(found.holder))) return { taken: false, holder: found.holder, isAlive };
    await moveAside(path, found.text, port);
  }
  const last = await readLock(path);
  return { taken: false, holder: last?.holder ?? mine, isAlive: true };
}

/** Reads who holds a lock; undefined when nobody does. A file that cannot be read as a lock counts as a dead holder's. */
export async function readLock(path: string): Promise<{ text: string; holder: LockHolder } | undefined> {
  const text = await readFile(path, 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  try {
    return { text, holder: JSON.parse(text) as LockHolder };
  } catch {
    return { text, holder: { pid: -1, host: hostname(), feature: '?', since: '?' } };
  }
}

/** `link` fails when the name is taken, and the name never points at half a file. */
async function createWhole(path: string, text: string, port: LockPort): Promise<boolean> {
  const partial = `${path}.${port.identity.pid}.${port.random()}`;
  await writeFile(partial, text, { flag: 'wx' });
  try {
    await link(partial, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    await unlink(partial).catch(() => undefined);
  }
}

/** Two processes may find the same stale lock: whoever moved a lock that was not the stale one puts it back. */
async function moveAside(path: string, expected: string, port: LockPort): Promise<void> {
  const aside = `${path}.stale.${port.random()}`;
  try {
    await rename(path, aside);
  } catch {
    return;
  }
  const moved = await readFile(aside, 'utf8').catch(() => expected);
  if (moved !== expected) await link(aside, path).catch(() => undefined);
  await unlink(aside).catch(() => undefined);
}

async function releaseLock(path: string, mine: string): Promise<void> {
  const found = await readFile(path, 'utf8').catch(() => undefined);
  if (found === mine) await unlink(path).catch(() => undefined);
}

/** Turns a lock into a claim, by a rename: readers see the one or the other. */
async function markPaused(path: string, mine: string, holder: LockHolder, port: LockPort): Promise<void> {
  if ((await readFile(path, 'utf8').catch(() => undefined)) !== mine) return;
  const partial = `${path}.${port.identity.pid}.${port.random()}`;
  await writeFile(partial, `${JSON.stringify({ ...holder, paused: true })}\n`, { flag: 'wx' });
  await rename(partial, path);
}
