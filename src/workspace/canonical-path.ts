import { readlink } from 'node:fs/promises';
import { dirname, join, parse, sep } from 'node:path';

/** More links than this are a circle, or meant to be one. */
const MOST_LINKS = 40;

/**
 * Follows every link of an absolute path, also one whose target does not exist: what does not exist yet is taken by
 * its name. `realpath` cannot do this, and judging a dangling link by its name would let a write follow it outside.
 * `known` is a canonical folder: a path below it is looked at from there on. Rejects with `ELOOP` for a circle, and with
 * the system's error where a folder may not be searched.
 */
export async function canonicalPath(absolute: string, known?: string): Promise<string> {
  const isBelow = known !== undefined && (absolute === known || absolute.startsWith(known + sep));
  const root = isBelow ? known : parse(absolute).root;
  const pending = namesOf(absolute.slice(root.length));
  let current = root;
  let links = 0;
  for (let name = pending.shift(); name !== undefined; name = pending.shift()) {
    if (name === '..') {
      current = dirname(current);
      continue;
    }
    const candidate = join(current, name);
    const target = await targetOfLink(candidate);
    if (target === undefined) {
      current = candidate;
      continue;
    }
    links += 1;
    if (links > MOST_LINKS) throw Object.assign(new Error(`ELOOP: too many links in ${absolute}`), { code: 'ELOOP' });
    const targetRoot = parse(target).root;
    if (targetRoot !== '') current = targetRoot;
    pending.unshift(...namesOf(target.slice(targetRoot.length)));
  }
  return current;
}

function namesOf(path: string): string[] {
  return path.split(sep === '\\' ? /[\\/]/ : '/').filter((name) => name !== '' && name !== '.');
}

/** What a link points to, or `undefined` when there is no link by this name. */
async function targetOfLink(path: string): Promise<string | undefined> {
  try {
    return await readlink(path);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'EINVAL' || code === 'ENOENT' || code === 'ENOTDIR' || code === 'UNKNOWN') return undefined;
    throw error;
  }
}
