import { link, mkdir, readFile, rename, stat, unlink, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
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
  const held: LockAttempt = { taken: true, release: () => releaseLock(path, text), pause: () => markPaused(path, text, mine, port) };
  await mkdir(dirname(path), { recursive: true });
  for (let round = 0; round < 5; round += 1) {
    if (await createWhole(path, text, port)) return held;
    const found = await readLock(path);
    if (!found) continue;
    const isAlive = found.holder.paused !== true && (found.holder.host !== hostname() || (await port.isAlive(found.holder)));
    if (isAlive || !(await mayReplace(found.holder))) return { taken: false, holder: found.holder, isAlive };
    if (await replaceStale(path, found.text, text, port)) return held;
    await sleep(10);
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

/**
 * Puts a lock in the place of a stale one. Several processes may find the same: one at a time has the right to replace it,
 * and only while it still says what was judged. The name is never free in between, so nobody else can take it there.
 */
async function replaceStale(path: string, expected: string, text: string, port: LockPort): Promise<boolean> {
  const right = `${path}.takeover`;
  if (!(await createWhole(right, text, port))) {
    await dropAbandoned(right, port);
    return false;
  }
  try {
    if ((await readFile(path, 'utf8').catch(() => undefined)) !== expected) return false;
    const partial = `${path}.${port.identity.pid}.${port.random()}`;
    await writeFile(partial, text, { flag: 'wx' });
    await rename(partial, path);
    return true;
  } finally {
    await unlink(right).catch(() => undefined);
  }
}

/** The right is held for milliseconds; one that is old was left by a crash. */
async function dropAbandoned(right: string, port: LockPort): Promise<void> {
  const { mtimeMs } = await stat(right).catch(() => ({ mtimeMs: Number.POSITIVE_INFINITY }));
  if (port.now() - mtimeMs > ABANDONED_AFTER) await unlink(right).catch(() => undefined);
}

/** Milliseconds. */
const ABANDONED_AFTER = 10_000;

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
