import type { CallGuard } from '../agent/tool-calls.ts';
import type { FileChange } from '../model/ports.ts';
import type { Failure } from '../model/failure.ts';
import { currentDigest, record, type RunContext } from './context.ts';
import { acceptEdits } from './inspect.ts';
import { placeFiles, savePatch } from './place.ts';

/**
 * Watches the protected tests and, where there is git, everything else a command changes. Changed between calls: a
 * person did it. Changed within a call: the role did it; its copy is kept, the recorded test is put back.
 */
export function createGuard(context: RunContext, step: string, attempt: number): CallGuard {
  let dirty: Map<string, string | null> | undefined;
  return {
    before: async (kind) => {
      if (Object.keys(context.state.protects).length > 0) await acceptEdits(context);
      if (kind === 'command') dirty = await dirtyDigests(context);
    },
    after: async (tool) => {
      const failure = await restoreProtected(context, step, attempt, tool);
      const changed = dirty ? await changesSince(context, dirty) : [];
      return { changed, ...(failure && { failure }) };
    },
  };
}

async function restoreProtected(context: RunContext, step: string, attempt: number, tool: string): Promise<Failure | undefined> {
  const changed: string[] = [];
  for (const [path, digest] of Object.entries(context.state.protects)) {
    if ((await currentDigest(context, path)) === digest) continue;
    const kept = await savePatch(context, path);
    await record(context, { type: 'protected-changed', data: { step, attempt, path, by: tool, kept: kept ?? null } });
    await placeFiles(context, { step, attempt, purpose: 'restore' }, [{ path, bytes: await context.journal.getBlob(digest) }]);
    changed.push(path);
  }
  if (changed.length === 0) return undefined;
  return {
    kind: 'protected-test-changed',
    message: `${tool} changed the protected test${changed.length > 1 ? 's' : ''} ${changed.join(', ')}. The recorded ${changed.length > 1 ? 'tests have' : 'test has'} been restored and the changed copy kept; the attempt has failed.`,
  };
}

/** Digests of everything that differs from HEAD outside our own folder; undefined without git. */
export async function dirtyDigests(context: RunContext): Promise<Map<string, string | null> | undefined> {
  if (!context.repository) return undefined;
  const digests = new Map<string, string | null>();
  for (const path of await context.repository.dirtyPaths()) {
    if (!path.startsWith('.blueprint/')) digests.set(path, await currentDigest(context, path).catch(() => null));
  }
  return digests;
}

/** What differs between two looks. A path that was clean before held what HEAD holds. */
export async function changesSince(context: RunContext, before: Map<string, string | null>): Promise<FileChange[]> {
  const now = (await dirtyDigests(context)) ?? new Map<string, string | null>();
  const changes: FileChange[] = [];
  for (const path of new Set([...before.keys(), ...now.keys()])) {
    if (path in context.state.protects) continue;
    const after = now.has(path) ? (now.get(path) ?? null) : await currentDigest(context, path);
    const was = before.has(path) ? (before.get(path) ?? null) : 'head';
    if (was !== after) changes.push({ path, before: was, after });
  }
  return changes;
}
