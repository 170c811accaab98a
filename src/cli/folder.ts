import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { UsageError } from '../errors.ts';
import type { CommandInput } from './commands.ts';

/**
 * The folder a command works from: the current one, or that of `--cwd`.
 *
 * @throws UsageError when `--cwd` names no folder.
 */
export async function workingFolder({ options, io }: CommandInput): Promise<string> {
  if (options.cwd === undefined) return io.cwd;
  const folder = resolve(io.cwd, options.cwd);
  const found = await stat(folder).catch(() => undefined);
  if (found?.isDirectory()) return folder;
  throw new UsageError(`Unexpected --cwd ${options.cwd}, expected a folder${found ? ', and this is a file' : ' that is there'}.`, {
    place: folder,
  });
}
