import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { UsageError } from '../errors.ts';
import { KIND_NAMES, type KindName } from '../model/artifact.ts';
import { didYouMean } from '../text/did-you-mean.ts';
import { bytesDigest } from '../text/digest.ts';
import { normaliseText } from '../text/lines.ts';

/** A role or template file, from the package or from the project. */
export interface SourceFile {
  /** Normalised: LF, no byte order mark. */
  text: string;
  /** Path to show: from the project root for an override, from the package root for a built-in. */
  file: string;
  /** Of `text`, so that a checkout with other line ends has the same. */
  digest: string;
  overridden: boolean;
}

/**
 * Role files and templates: the package's, each replaced by a file of the same name that the project has in `.blueprint`.
 * Every file is read once, so that all of a run is made with the same text. All reject with `UsageError` for a file
 * that is in neither place.
 */
export interface Library {
  /** A role, or `guardrails`: the rules that every role is told. */
  role(name: string): Promise<SourceFile>;
  /** Template of a stage, or `shared` or `context`. Stages that do not ship and have no file of their own get `report`. */
  prompt(name: string): Promise<SourceFile>;
  artifactTemplate(kind: KindName): Promise<SourceFile>;
}

export interface LibraryOptions {
  /** Absolute. */
  projectRoot: string;
  /** Absolute. */
  packageRoot: string;
  /** Text of a file by absolute path; undefined when there is none. */
  read(path: string): Promise<string | undefined>;
}

/** Reads nothing yet. */
export function openLibrary(options: LibraryOptions): Library {
  const known = new Map<string, Promise<SourceFile>>();
  const find = (entry: Entry): Promise<SourceFile> => {
    const key = `${entry.folder}/${entry.name}`;
    const found = known.get(key) ?? findText(entry, options);
    known.set(key, found);
    return found;
  };
  return {
    role: (name) => find(roleEntry(name)),
    prompt: (name) => find(promptEntry(name)),
    artifactTemplate: (kind) => find(templateEntry('artifacts', kind)),
  };
}

/** Where one file may be. */
interface Entry {
  /** For messages: role, prompt template. */
  what: string;
  name: string;
  /** Folder in the package. */
  folder: string;
  extension: string;
  /** Folders in the project, the first that has the file wins. */
  overrides: string[];
  fallback?: Entry;
}

const SHIPPED_PROMPTS = new Set(['shared', 'context', 'spec', 'stories', 'tests', 'plan', 'implement', 'report']);

function roleEntry(name: string): Entry {
  return { what: 'role', name, folder: 'agents', extension: '.md', overrides: ['.blueprint/agents'] };
}

function promptEntry(name: string): Entry {
  const entry = templateEntry('prompts', name);
  return SHIPPED_PROMPTS.has(name) ? entry : { ...entry, fallback: templateEntry('prompts', 'report') };
}

function templateEntry(folder: 'artifacts' | 'prompts', name: string): Entry {
  const own = `.blueprint/templates/${folder}`;
  // Without a folder, a name that both could have (report) is the artifact's: it says how a file looks.
  const isArtifactName = (KIND_NAMES as readonly string[]).includes(name);
  const overrides = folder === 'artifacts' || !isArtifactName ? [own, '.blueprint/templates'] : [own];
  return {
    what: `${folder === 'artifacts' ? 'artifact' : 'prompt'} template`,
    name,
    folder: `templates/${folder}`,
    extension: '.md.hbs',
    overrides,
  };
}

async function findText(entry: Entry, options: LibraryOptions): Promise<SourceFile> {
  // A name becomes part of a path: one that could lead elsewhere names nothing.
  const isName = /^[\p{L}\p{N}_-]+$/u.test(entry.name);
  const places = [
    ...entry.overrides.map((folder) => ({ root: options.projectRoot, folder, overridden: true })),
    { root: options.packageRoot, folder: entry.folder, overridden: false },
  ];
  for (const { root, folder, overridden } of isName ? places : []) {
    const file = `${folder}/${entry.name}${entry.extension}`;
    const raw = await options.read(join(root, file));
    if (raw === undefined) continue;
    const text = normaliseText(raw);
    return { text, file, digest: bytesDigest(new TextEncoder().encode(text)), overridden };
  }
  if (entry.fallback) return findText(entry.fallback, options);
  throw await missing(entry, places);
}

async function missing({ what, name, extension }: Entry, places: { root: string; folder: string }[]): Promise<UsageError> {
  const listed = await Promise.all(places.map(({ root, folder }) => readdir(join(root, folder)).catch(() => [])));
  const names = listed.flat().flatMap((file) => (file.endsWith(extension) ? [file.slice(0, -extension.length)] : []));
  const existing = [...new Set(names)].filter((one) => one !== 'guardrails').toSorted();
  const near = didYouMean(name, existing);
  const looked = places.map(({ root, folder }) => join(root, folder, `${name}${extension}`)).join(', ');
  const message = `There is no ${what} ${JSON.stringify(name)}, expected one of ${existing.join(', ') || 'none'}. Looked for ${looked}.`;
  return new UsageError(message, {
    hint: near === undefined ? `Write ${places[0]?.folder ?? ''}/${name}${extension}.` : `Did you mean ${near}?`,
  });
}
