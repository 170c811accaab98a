import { constants } from 'node:fs';
import { lstat, mkdir, open, readFile, readdir, readlink, rename, stat, unlink } from 'node:fs/promises';
import { createHash } from 'node:crypto';
import { basename, dirname, join, resolve } from 'node:path';
import type { Files } from '../model/ports.ts';
import { currentPid, isRunning, randomHex } from './process.ts';

/** Files on disk. Every fault that is not "there is no such file" surfaces as the system's error (`ENOSPC`, `EROFS`). */
export function createFiles(): Files {
  return { read, replace, remove };
}

/** Whether a file name is that of a temporary file of ours, which a reader of folders should not show. */
export function isTemporaryName(name: string): boolean {
  return TEMPORARY.test(name);
}

async function read(path: string): Promise<Uint8Array | undefined> {
  try {
    return await readFile(path);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

async function remove(path: string): Promise<void> {
  try {
    await unlink(path);
  } catch (error) {
    if (isMissing(error)) return;
    throw error;
  }
  await syncFolder(dirname(path));
}

async function replace(path: string, bytes: Uint8Array): Promise<void> {
  const target = await followLinks(path);
  const folder = dirname(target);
  await mkdir(folder, { recursive: true });
  await sweepTemporaries(target);
  const temporary = join(folder, temporaryName(target));
  try {
    await writeSynced(temporary, bytes, await modeOf(target));
    await rename(temporary, target);
  } catch (error) {
    await unlink(temporary).catch(() => undefined);
    throw error;
  }
  await syncFolder(folder);
}

/** The real file behind a path, whether it exists or not: renaming over a link would replace the link. */
async function followLinks(path: string): Promise<string> {
  let target = resolve(path);
  for (let followed = 0; followed < 40; followed += 1) {
    const status = await lstat(target).catch((error: unknown) => {
      if (isMissing(error)) return undefined;
      throw error;
    });
    if (status?.isSymbolicLink() !== true) return target;
    target = resolve(dirname(target), await readlink(target));
  }
  throw Object.assign(new Error(`ELOOP: too many symbolic links, '${path}'`), { code: 'ELOOP', path });
}

async function modeOf(target: string): Promise<number | undefined> {
  try {
    return (await stat(target)).mode & 0o7777;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

async function writeSynced(path: string, bytes: Uint8Array, mode: number | undefined): Promise<void> {
  const file = await open(path, 'wx', mode ?? 0o666);
  try {
    await file.writeFile(bytes);
    // The mode given to open() passes through the umask; an existing file's mode is kept to the bit.
    if (mode !== undefined) await file.chmod(mode);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Makes a rename durable. Systems that cannot sync a folder do not need it or cannot be helped. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, constants.O_RDONLY).catch(() => undefined);
  if (handle === undefined) return;
  await handle.sync().catch(() => undefined);
  await handle.close();
}

const TEMPORARY = /^\.([0-9a-f]{12})\.(\d+)\.[0-9a-f]{12}\.blueprint-tmp$/;

function temporaryName(target: string): string {
  return `.${nameDigest(target)}.${currentPid()}.${randomHex(6)}.blueprint-tmp`;
}

/** Fixed in length, so that a target whose name is as long as names may be has a temporary file all the same. */
function nameDigest(target: string): string {
  return createHash('sha256').update(basename(target)).digest('hex').slice(0, 12);
}

/** Removes what a killed process left half-written for this target: a resumed run must end in the same tree. */
async function sweepTemporaries(target: string): Promise<void> {
  const folder = dirname(target);
  for (const name of await readdir(folder)) {
    const [, digest, pid] = TEMPORARY.exec(name) ?? [];
    if (digest !== nameDigest(target) || isRunning(Number(pid))) continue;
    await unlink(join(folder, name)).catch(() => undefined);
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR');
}
