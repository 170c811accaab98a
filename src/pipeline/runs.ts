import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { StateError } from '../errors.ts';
import type { Journal } from '../model/journal.ts';
import type { RunState } from '../model/state.ts';
import { getBlob } from '../journal/journal.ts';
import { readJournal, type ReadJournal } from '../journal/read.ts';

export interface FoundRun extends ReadJournal {
  /** Absolute. */
  folder: string;
}

/** Run id: UTC time to the millisecond, the slug, and four random digits. Sorts by time as text. */
export function newRunId(feature: string, now: number, random: string): string {
  const time = new Date(now).toISOString().replace(/[-:.]/g, '');
  return `${time}-${feature}-${random}`;
}

export function runsFolder(root: string): string {
  return join(root, '.blueprint', 'runs');
}

/** The latest run of a feature that wrote at least its first event. */
export async function findLatestRun(root: string, feature: string): Promise<FoundRun | undefined> {
  const names = (await readdir(runsFolder(root)).catch(() => [])).filter((name) => runFeature(name) === feature.normalize('NFC'));
  for (const name of names.toSorted().toReversed()) {
    const folder = join(runsFolder(root), name);
    const found = await readJournal(join(folder, 'journal.jsonl'));
    if (found.state.feature.normalize('NFC') === feature.normalize('NFC')) return { ...found, folder };
    if (found.damaged.length > 0) return { ...found, folder };
  }
  return undefined;
}

/** The journal of a run that is only looked at: its blobs can be read and nothing can be added. */
export function openReadOnly(found: FoundRun): Journal {
  const refuse = (): never => {
    throw new StateError(`Run ${found.state.run} has ended; nothing is added to it.`);
  };
  return {
    folder: found.folder,
    append: async () => refuse(),
    putBlob: async () => refuse(),
    getBlob: (digest) => getBlob(found.folder, digest),
    close: async () => undefined,
  };
}

/** Features that have a run, by the names of the run folders. */
export async function featuresWithRuns(root: string): Promise<string[]> {
  const names = await readdir(runsFolder(root)).catch(() => []);
  return [...new Set(names.map(runFeature).filter((name) => name !== undefined))];
}

/** State of a run by its id; undefined when it is gone. */
export async function readRunState(root: string, run: string): Promise<RunState | undefined> {
  const found = await readJournal(join(runsFolder(root), run, 'journal.jsonl'));
  return found.state.run === '' ? undefined : found.state;
}

/**
 * A run with lines that cannot be read may be looked at, and goes on only when a person accepts the damage.
 * @throws StateError naming the lines.
 */
export function demandSoundRun(found: FoundRun, acceptDamage: boolean): void {
  if (found.damaged.length === 0 || acceptDamage) return;
  throw new StateError(`The journal has lines that cannot be read: ${found.damaged.slice(0, 10).join(', ')}.`, {
    place: `${join(found.folder, 'journal.jsonl')}:${found.damaged[0] ?? 1}`,
    hint: 'What they said is lost. Go on without them with --accept-damage, or begin anew with --new.',
  });
}

function runFeature(name: string): string | undefined {
  return /^\d{8}T\d{9}Z-(.+)-[0-9a-f]{4}$/.exec(name)?.[1]?.normalize('NFC');
}
