import { isAbsolute, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import picomatch from 'picomatch';
import type { Border } from '../model/ports.ts';
import { canonicalPath } from './canonical-path.ts';
import { whyOffLimits } from './off-limits.ts';

export interface BorderOptions {
  /** Absolute path of the project root; may be a link. */
  root: string;
  /** Globs, from the root, that no tool may reach, on top of what is always off limits. */
  deny?: string[];
  /** Globs, from the root, that a write must match; without them every path that is not refused may be written. */
  mayTouch?: string[];
  /** Files, from the root, that may be read and not written: the tests a stage has to satisfy. Asked at every write. */
  protectedPaths?: () => Iterable<string>;
}

/** A path that a tool may not reach. The message is for the model: what, by which rule, and what is allowed. */
export class BorderError extends Error {
  override readonly name = 'BorderError';
}

/** The border around a project, judged by where a path really leads. */
export function createBorder(options: BorderOptions): Border {
  const denied = picomatch(options.deny ?? [], { dot: true, nocase: true });
  const touchable = options.mayTouch === undefined ? undefined : picomatch(options.mayTouch, { dot: true });
  let canonicalRoot: Promise<string> | undefined;

  return {
    async resolve(path, intent) {
      const refuse = (reason: string) => new BorderError(`Refused to ${intent} "${excerpt(path)}": ${reason}.`);
      canonicalRoot ??= canonicalPath(resolve(options.root));
      const root = await canonicalRoot;
      const named = resolve(root, plainPath(path, refuse));
      const absolute = await canonicalPath(named, root).catch((error: unknown) => {
        throw refuse(error instanceof Error ? error.message : 'it cannot be followed');
      });
      const inside = pathFrom(root, absolute);
      if (inside === undefined) throw refuse('it leads outside the project; use a path below the project root');

      // The name counts as well as the place: a link called `.env` is a secret wherever it leads.
      for (const candidate of [inside, pathFrom(root, named) ?? pathFrom(resolve(options.root), named) ?? inside]) {
        const reason = whyOffLimits(candidate, intent);
        if (reason !== undefined) throw refuse(reason);
        if (candidate !== '' && denied(candidate)) throw refuse('this project denies it');
      }
      if (intent === 'write') checkWrite(inside, refuse, touchable, options);
      return { absolute, relative: inside };
    },
  };
}

type Refuse = (reason: string) => BorderError;

function checkWrite(path: string, refuse: Refuse, touchable: ((path: string) => boolean) | undefined, options: BorderOptions): void {
  if (path === '') throw refuse('it is the project root, a folder');
  for (const protectedPath of options.protectedPaths?.() ?? []) {
    if (foldCase(protectedPath) !== foldCase(path)) continue;
    throw refuse('it is a protected test: make it pass by changing the code it tests');
  }
  if (touchable?.(path) === false) {
    throw refuse(`this role may write only ${options.mayTouch?.join(', ') || 'nothing'}`);
  }
}

/** Two names for what is one file where the file system does not tell them apart. */
function foldCase(path: string): string {
  return path.normalize('NFC').toLowerCase();
}

/** The path as this system writes it. Models also write file: URLs and, from Windows sources, backslashes. */
function plainPath(path: string, refuse: Refuse): string {
  if (path.includes('\0')) throw refuse('it holds a NUL character');
  if (path.length > 4096 || path.split(/[\\/]/).some((name) => Buffer.byteLength(name) > 255)) {
    throw refuse('it is too long');
  }
  if (path === '~' || /^~[\\/]/.test(path)) throw refuse('"~" is not expanded; paths start at the project root');
  if (!/^file:/i.test(path)) return path.replaceAll('\\', '/');
  try {
    return fileURLToPath(path);
  } catch {
    throw refuse('it is not a usable file: URL; paths start at the project root');
  }
}

/** Path from the root with forward slashes, empty for the root itself, `undefined` outside of it. */
function pathFrom(root: string, absolute: string): string | undefined {
  const path = relative(root, absolute);
  if (path === '..' || path.startsWith(`..${sep}`) || isAbsolute(path)) return undefined;
  return path.split(sep).join('/');
}

function excerpt(path: string): string {
  // By code points: half a surrogate pair would make every request invalid that holds this answer.
  return path.length > 200 ? `${Array.from(path).slice(0, 200).join('')}...` : path;
}
