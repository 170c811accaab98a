import { lstat, readFile, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve, sep, isAbsolute } from 'node:path';
import { UsageError } from '../errors.ts';

/**
 * The file a recording goes to, as an absolute path.
 * @throws UsageError for a place where a recording would stand in the way of something else.
 */
export async function demandRecordingTarget({
  file,
  cwd,
  root,
  isTranscript,
}: {
  file: string;
  cwd: string;
  root: string;
  isTranscript: (text: string) => boolean;
}): Promise<string> {
  const path = resolve(cwd, file);
  const refuse = (why: string, hint = 'Name a new file, or a transcript that may be replaced.'): never => {
    throw new UsageError(`Unexpected --record ${file}: ${why}.`, { place: path, hint });
  };
  const found = await stat(path).catch(() => undefined);
  if (found?.isDirectory() || (!found && /[/\\]$/.test(file))) return refuse('it is a folder');
  if (!found && (await lstat(path).catch(() => undefined))) return refuse('it is a link that leads nowhere');
  const folder = await stat(dirname(path)).catch(() => undefined);
  if (!folder?.isDirectory()) return refuse(`there is no folder ${dirname(path)}`, 'Make the folder, or name a file in one that is there.');
  const real = found ? await realpath(path) : join(await realpath(dirname(path)), basename(path));
  if (isInside(real, await realpath(join(root, '.blueprint')))) {
    return refuse('.blueprint/ is kept by this program', 'Name a file outside of it.');
  }
  if (!found) return path;
  if (!found.isFile()) return refuse('it is no file');
  const text = await readFile(path, 'utf8').catch(() => refuse('it cannot be read'));
  return isTranscript(text) ? path : refuse('this file is no transcript, and it would be replaced');
}

function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}
