import { join } from 'node:path';
import type { Hooks, RunOptions, RunOutcome } from '../model/api.ts';
import type { Engine } from '../model/engine.ts';
import type { Journal } from '../model/journal.ts';
import type { Repository } from '../model/ports.ts';
import type { Config } from '../config/schema.ts';
import { openJournal } from '../journal/journal.ts';
import { initialState } from '../journal/fold.ts';
import { SCHEMA } from '../journal/read.ts';
import { adoptFromFiles, carryOver } from './adopt.ts';
import { limitsData } from './run-limits.ts';
import { choiceData, demandKnownPrices, noEngine, withChoice } from './engine-choice.ts';
import { demandBrief, placeBrief } from './brief.ts';
import { note, record, type Project, type RunContext } from './context.ts';
import { isAllFresh } from './freshness.ts';
import { makeCheckout, takeFeatureLock } from './locks.ts';
import { outcomeOf } from './outcome.ts';
import { demandRunner, refuseWithoutIdentity } from './preconditions.ts';
import { recordingTarget, withRecording } from './record-run.ts';
import type { RunPorts } from './run-ports.ts';
import { runPipeline } from './run.ts';
import { demandSoundRun, findLatestRun, newRunId, openReadOnly, readRunState, runsFolder, type FoundRun } from './runs.ts';

export interface RunRequest {
  feature: string;
  options: RunOptions;
  hooks: Hooks;
  ports: RunPorts;
  makeEngine(asked: { options: RunOptions; recorded: string | undefined; config: Config }): Promise<Engine | undefined>;
}

/** Opens or continues a run under the feature's lock and drives it to its end or its next pause. */
export async function executeRun(request: RunRequest): Promise<RunOutcome> {
  const { feature, hooks, ports } = request;
  const target = await recordingTarget(request);
  const { project, warnings } = await ports.loadProject();
  for (const text of warnings) hooks.emit({ type: 'note', level: 'warning', text });
  const lock = await takeFeatureLock(ports, feature);
  try {
    if (target === undefined) return await underLock(request, project);
    return await withRecording(request, target, (watched) => underLock(watched, project));
  } finally {
    await lock.release();
  }
}

async function underLock(asked: RunRequest, project: Project): Promise<RunOutcome> {
  const { feature, hooks, ports } = asked;
  const found = await findLatestRun(ports.root, feature);
  const request = { ...asked, options: withChoice(asked.options, project.config, found?.state) };
  const { options } = request;
  for (const text of found?.warnings ?? []) hooks.emit({ type: 'note', level: 'warning', text });
  if (found && !options.fresh) demandSoundRun(found, options.acceptDamage);
  await demandBrief(request, found !== undefined);
  demandRunner(ports, project);
  const engine = await request.makeEngine({ options, recorded: found?.state.engine || undefined, config: project.config });
  const repository = await ports.openRepository();
  const base = { request, project, engine, repository };
  const isUnfinished = found !== undefined && (found.state.status === 'running' || found.state.status === 'paused');
  // A run begun with --no-commit stays without one, so nobody needs a name for it.
  const willCommit = options.commit && (!isUnfinished || options.fresh || found.state.commit);
  if (repository && willCommit) await refuseWithoutIdentity(ports);
  demandKnownPrices({ project, options, engine, state: isUnfinished && !options.fresh ? found.state : initialState() });
  if (isUnfinished && !options.fresh) return resumeRun(base, found);
  if (!engine) throw noEngine();
  if (found && isUnfinished) await abortRun(base, found);
  // With --new the earlier run is still the parent, for what it says of whose files these are; every step is made again.
  const parent = found && (options.fresh || found.state.status === 'completed') ? found : undefined;
  if (parent && options.from === undefined && !options.fresh) {
    const context = await makeContext(base, { journal: openReadOnly(parent), state: parent.state });
    if (await isAllFresh(context)) {
      note(context, `Nothing to do: run ${parent.state.run} is completed and everything is fresh.`);
      return outcomeOf({ state: parent.state, root: ports.root, folder: context.folder });
    }
  }
  return beginRun(base, parent);
}

export interface Base {
  request: RunRequest;
  project: Project;
  engine: Engine | undefined;
  repository: Repository | undefined;
}

async function resumeRun(base: Base, found: FoundRun): Promise<RunOutcome> {
  const { request, engine } = base;
  const { locks, clock } = request.ports;
  const journal = await openJournal({ folder: found.folder, lastSeq: found.state.lastSeq, length: found.length, clock });
  const context = await makeContext(base, { journal, state: found.state });
  try {
    const { pid, host } = locks.identity;
    await record(context, {
      type: 'run-resumed',
      data: { pid, host, engine: engine?.name ?? found.state.engine, ...limitsData(context.options), ...choiceData(context.options) },
    });
    return await drive(context, base);
  } finally {
    await journal.close();
  }
}

async function beginRun(base: Base, parent: FoundRun | undefined): Promise<RunOutcome> {
  const { request, repository, engine } = base;
  const { feature, options, ports } = request;
  const run = newRunId(feature, ports.clock.now(), ports.random(2));
  const folder = join(runsFolder(ports.root), run);
  const journal = await openJournal({ folder, lastSeq: 0, length: 0, clock: ports.clock });
  const context = await makeContext(base, { journal, state: initialState() });
  try {
    const head = (await repository?.head()) ?? null;
    const data = { schema: SCHEMA, version: ports.version, run, feature, engine: engine?.name ?? '', commit: options.commit, base: head };
    await record(context, {
      type: 'run-started',
      data: {
        ...data,
        ...(parent && { parent: parent.state.run }),
        ...(context.options.from !== undefined && { from: context.options.from }),
        ...limitsData(options),
        ...choiceData(options),
      },
    });
    return await drive(context, base);
  } finally {
    await journal.close();
  }
}

/** What comes before the first attempt can be cut off anywhere and is done again by a resume; what is done is left alone. */
async function drive(context: RunContext, { request }: Base): Promise<RunOutcome> {
  const { ports } = request;
  const { state } = context;
  await placeBrief(context);
  const hasBegun = Object.values(state.steps).some(({ attempts }) => attempts.length > 0);
  if (!hasBegun) {
    const parent = state.parent === undefined ? undefined : await readRunState(ports.root, state.parent);
    if (parent) await carryOver(context, parent, join(runsFolder(ports.root), parent.run));
    else await adoptFromFiles(context);
  }
  const { pausedAfter } = await runPipeline(context, makeCheckout(context, ports));
  return outcomeOf({ state, root: ports.root, folder: context.folder, pausedAfter });
}

export async function makeContext(
  { request, project, engine, repository }: Base,
  { journal, state }: { journal: Journal; state: RunContext['state'] },
): Promise<RunContext> {
  const { ports, feature, hooks, options } = request;
  const { runner, noRunner } = ports.makeRunner(project.config.test?.runner);
  const verify = project.config.verify?.map((line) => ({ name: line, argv: ['sh', '-c', line] }));
  return {
    project,
    feature,
    folder: `.blueprint/features/${feature}`,
    state,
    journal: ports.decorateJournal(journal),
    engine,
    repository,
    runner,
    noRunner,
    hooks,
    options: { ...options, commit: options.commit && state.commit, ...(options.fresh && { from: project.steps[0]?.name ?? 'spec' }) },
    files: ports.files,
    processes: ports.processes,
    tools: ports.tools,
    clock: ports.clock,
    startedAt: ports.clock.monotonic(),
    redact: (text) => ports.redact(text),
    version: ports.version,
    commands: verify ?? ports.commands,
    makeBorder: (border) => ports.makeBorder(border),
  };
}

async function abortRun(base: Base, found: FoundRun): Promise<void> {
  const journal = await openJournal({
    folder: found.folder,
    lastSeq: found.state.lastSeq,
    length: found.length,
    clock: base.request.ports.clock,
  });
  await journal.append({ type: 'run-ended', data: { status: 'aborted', reason: 'ended by --new' } });
  await journal.close();
}
