import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { UsageError } from '../errors.ts';

/** What of a package.json matters here. */
export interface Package {
  scripts: Map<string, string>;
  /** Names of all kinds of dependencies. */
  dependencies: Set<string>;
  /** Empty when it names none. */
  packageManager: string;
}

/** Reads the package.json of a folder; `undefined` without one. Throws `UsageError` for one that is no JSON object. */
export async function readPackage(folder: string): Promise<Package | undefined> {
  const path = join(folder, 'package.json');
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (text === undefined) return undefined;
  const content = parseObject(text, path);
  const dependencies = ['dependencies', 'devDependencies', 'optionalDependencies', 'peerDependencies'];
  return {
    scripts: new Map(
      Object.entries(asObject(content['scripts'])).flatMap(([name, script]) => (typeof script === 'string' ? [[name, script]] : [])),
    ),
    dependencies: new Set(dependencies.flatMap((kind) => Object.keys(asObject(content[kind])))),
    packageManager: typeof content['packageManager'] === 'string' ? content['packageManager'] : '',
  };
}

function parseObject(text: string, path: string): Record<string, unknown> {
  try {
    const content: unknown = JSON.parse(text.replace(/^\ufeff/, ''));
    if (typeof content === 'object' && content !== null && !Array.isArray(content)) return asObject(content);
  } catch (cause) {
    throw new UsageError(`package.json is not valid JSON: ${cause instanceof Error ? cause.message : ''}`, { place: path, cause });
  }
  throw new UsageError('package.json holds no object.', { place: path });
}

function asObject(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
