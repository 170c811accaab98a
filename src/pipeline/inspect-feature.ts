import type { FeatureStatus, Hooks, RunOptions } from '../model/api.ts';
import { initialState } from '../journal/fold.ts';
import type { RunContext } from './context.ts';
import { makeContext, type RunRequest } from './execute.ts';
import type { RunPorts } from './run-ports.ts';
import { findLatestRun, openReadOnly, runsFolder, type FoundRun } from './runs.ts';
import { statusOf } from './status.ts';

export interface OpenedFeature {
  context: RunContext;
  hasRun: boolean;
  warnings: string[];
}

/** Reads where a feature stands; writes nothing and needs no lock. */
export async function inspectFeature(feature: { feature: string; ports: RunPorts }): Promise<FeatureStatus> {
  const { context, hasRun, warnings } = await openForReading(feature);
  return statusOf(context, hasRun, warnings);
}

/** Finds the engine a run would have; it is asked nothing, only how large its window is. */
export type FindEngine = RunRequest['makeEngine'];

/** A feature with its latest run, to be looked at: nothing can be added to it. Needs no engine, no lock and no repository. */
export async function openForReading({
  feature,
  ports,
  findEngine = async () => undefined,
}: {
  feature: string;
  ports: RunPorts;
  findEngine?: FindEngine;
}): Promise<OpenedFeature> {
  const { project, warnings } = await ports.loadProject();
  const found = await findLatestRun(ports.root, feature);
  const none: FoundRun = { state: initialState(), folder: runsFolder(ports.root), length: 0, warnings: [], damaged: [] };
  const hooks: Hooks = { emit: () => undefined, signal: new AbortController().signal };
  const options: RunOptions = {
    cwd: ports.root,
    slug: feature,
    pauseAfter: [],
    commit: true,
    yes: false,
    takeNew: false,
    fresh: false,
    acceptDamage: true,
    mode: 'resume',
  };
  const engine = await findEngine({ options, recorded: found?.state.engine || undefined, config: project.config });
  const request = { feature, options, hooks, ports, makeEngine: findEngine };
  const base = { request, project, engine, repository: undefined };
  const context = await makeContext(base, { journal: openReadOnly(found ?? none), state: (found ?? none).state });
  return { context, hasRun: found !== undefined, warnings: [...warnings, ...(found?.warnings ?? [])] };
}
