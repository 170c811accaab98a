import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { makeEngine } from './compose-engine.ts';
import type { FeatureStatus, Hooks, RunOptions, RunOutcome, StageContext } from './model/api.ts';
import type { Engine } from './model/engine.ts';
import type { Journal } from './model/journal.ts';
import type { Files, Processes, Repository, TestRunner } from './model/ports.ts';
import { isTranscript, serialiseTranscript, toEntries } from './engines/transcript/record.ts';
import type { LockPort } from './journal/lock.ts';
import { listFeatureFolders, findRoot, loadProject, unknownFeature } from './pipeline/project.ts';
import type { FindEngine } from './pipeline/inspect-feature.ts';
import { executeRun } from './pipeline/execute.ts';
import type { RunPorts } from './pipeline/run-ports.ts';
import { inspectContext } from './pipeline/inspect-context.ts';
import { inspectFeature } from './pipeline/inspect-feature.ts';
import { featuresWithRuns } from './pipeline/runs.ts';
import { toSlug } from './pipeline/slug.ts';
import { projectTools } from './tools/all.ts';
import { createFiles } from './util/files.ts';
import { createProcesses, currentPid, isAlive, processIdentity, randomHex, systemClock } from './util/process.ts';
import { createRedactor, parseDotEnv, secretValues } from './util/secrets.ts';
import { createBorder } from './workspace/border.ts';
import { openRepository } from './workspace/git.ts';
import { findIdentityProblem } from './workspace/git-identity.ts';
import { createTestRunner } from './workspace/runners/create.ts';
import { detectStack } from './workspace/stack.ts';

export interface Environment {
  env: Record<string, string | undefined>;
  /** An engine of the caller's own, instead of a named one. */
  engine?: Engine;
  /** Wraps the ports of a run; tests use it to stop the process at any of their calls. */
  decorate?: {
    journal?(journal: Journal): Journal;
    files?(files: Files): Files;
    processes?(processes: Processes): Processes;
    repository?(repository: Repository): Repository;
  };
}

/** The folder this package is installed in: roles and templates ship beside the code. */
export const PACKAGE_ROOT = join(dirname(fileURLToPath(import.meta.url)), '..');

/** Begins a feature's run, or goes on with the unfinished one. Ends when it is completed or paused; throws `BlueprintError`. */
export async function runFeature(options: RunOptions, hooks: Hooks, environment: Environment): Promise<RunOutcome> {
  const feature = toSlug(options.slug);
  const root = await findRoot(options.cwd);
  const { env } = environment;
  const ports = await composePorts(root, environment);
  const say = (text: string): void => hooks.emit({ type: 'note', level: 'info', text });
  return executeRun({
    feature,
    options,
    hooks,
    ports,
    makeEngine: async (asked) => environment.engine ?? makeEngine({ ...asked, root, env, redact: ports.redact, say }),
  });
}

/** Where one feature stands. */
export async function readFeatureStatus({ cwd, slug }: { cwd: string; slug: string }, environment: Environment): Promise<FeatureStatus> {
  const { feature, root } = await findFeature({ cwd, slug });
  return inspectFeature({ feature, ports: await composePorts(root, environment) });
}

/** What a stage of a feature would be told if it were started now. */
export async function readStageContext(
  { cwd, slug, stage }: { cwd: string; slug: string; stage: string | undefined },
  environment: Environment,
): Promise<StageContext> {
  const { feature, root } = await findFeature({ cwd, slug });
  const ports = await composePorts(root, environment);
  const { env } = environment;
  // Without a key, or with a transcript that is gone, the context is what it is for an engine without a window.
  const findEngine: FindEngine = async (asked) =>
    environment.engine ?? makeEngine({ ...asked, root, env, redact: ports.redact, say: () => undefined }).catch(() => undefined);
  return inspectContext({ feature, stage, ports, findEngine });
}

/** @throws UsageError for a feature that has neither a folder nor a run. */
async function findFeature({ cwd, slug }: { cwd: string; slug: string }): Promise<{ feature: string; root: string }> {
  const feature = toSlug(slug);
  const root = await findRoot(cwd);
  const known = [...new Set([...(await listFeatureFolders(root)), ...(await featuresWithRuns(root))])];
  if (!known.some((name) => name.normalize('NFC') === feature)) throw unknownFeature(feature, known);
  return { feature, root };
}

/** Where every feature of the project stands. */
export async function listFeatures({ cwd }: { cwd: string }, environment: Environment): Promise<FeatureStatus[]> {
  const root = await findRoot(cwd);
  const ports = await composePorts(root, environment);
  const statuses: FeatureStatus[] = [];
  for (const feature of await listFeatureFolders(root)) statuses.push(await inspectFeature({ feature, ports }));
  return statuses;
}

async function composePorts(root: string, { env, decorate }: Environment): Promise<RunPorts> {
  const redact = createRedactor(await findSecrets(root, env));
  const plain = createProcesses({ env });
  // What git says is read by the program, so it stays as it is.
  const unchanged = decorate?.processes?.(plain) ?? plain;
  const processes = redactingProcesses(unchanged, redact);
  const files = createFiles();
  const stack = await detectStack({ root });
  const version = await packageVersion();
  const tools = [...projectTools];
  return {
    root,
    version,
    files: decorate?.files?.(files) ?? files,
    processes,
    tools,
    clock: systemClock,
    random: randomHex,
    redact,
    locks: await lockPort(),
    loadProject: () => loadProject({ root, packageRoot: PACKAGE_ROOT, tools, stack }),
    openRepository: async () => {
      const repository = await openRepository({ root, processes: unchanged, env });
      return repository && (decorate?.repository?.(repository) ?? repository);
    },
    findIdentityProblem: () => findIdentityProblem({ root, processes: unchanged, env }),
    decorateJournal: (journal) => decorate?.journal?.(journal) ?? journal,
    makeRunner: (name) => {
      const found =
        name === undefined ? stack.runner : stack.runner?.name === name ? stack.runner : { name, why: 'named in the configuration' };
      return { runner: found && redactingRunner(createTestRunner(found, { root, processes }), redact), noRunner: stack.noRunner };
    },
    commands: stack.commands.map(({ name, argv }) => ({ name, argv })),
    makeBorder: (border) => createBorder({ root, ...border }),
    recordings: { isTranscript, serialise: (turns, file) => serialiseTranscript(toEntries(turns), file) },
    wait: (milliseconds, signal) => sleep(milliseconds, undefined, { signal }).catch(() => signal.throwIfAborted()),
  };
}

/** Values that look like keys, of the environment and of the project's own `.env` files. */
async function findSecrets(root: string, env: Environment['env']): Promise<string[]> {
  const names = (await readdir(root)).filter(
    (name) => /^\.env(?:\.[\w-]+)*$/.test(name) && !/\.(?:example|sample|template|dist)$/.test(name),
  );
  const texts = await Promise.all(names.map((name) => readFile(join(root, name), 'utf8').catch(() => '')));
  return [env, ...texts.map(parseDotEnv)].flatMap(secretValues);
}

/** What a command prints is stored and sent to the engine: keys are taken out before anybody sees it. */
function redactingProcesses(processes: Processes, redact: (text: string) => string): Processes {
  return {
    run: async (request) => {
      const result = await processes.run(request);
      return { ...result, stdout: redact(result.stdout), stderr: redact(result.stderr) };
    },
  };
}

/** Reports of tests come by a file of their own, not by what is printed. */
function redactingRunner(runner: TestRunner, redact: (text: string) => string): TestRunner {
  return {
    ...runner,
    run: async (files, context) => {
      const run = await runner.run(files, context);
      const tests = run.tests.map((test) =>
        test.error ? { ...test, error: { ...test.error, message: redact(test.error.message) } } : test,
      );
      return { ...run, output: redact(run.output), tests };
    },
  };
}

async function lockPort(): Promise<LockPort> {
  const identity = await processIdentity();
  return {
    identity,
    isAlive: (holder) => isAlive({ pid: holder.pid, host: holder.host, boot: holder.boot, start: holder.start }),
    now: () => systemClock.now(),
    random: () => `${currentPid()}${randomHex(4)}`,
  };
}

export async function packageVersion(): Promise<string> {
  const { version } = JSON.parse(await readFile(join(PACKAGE_ROOT, 'package.json'), 'utf8')) as { version: string };
  return version;
}

export { initProject } from './pipeline/init.ts';
