import type { ArtifactStatus, FeatureStatus, StepStatus } from '../model/api.ts';
import { PRICES_OF } from '../config/prices.ts';
import { addUsage, NO_USAGE, type Usage } from '../model/engine.ts';
import type { StepState } from '../model/state.ts';
import { costOfAttempts } from './cost.ts';
import { composeFor } from './attempt.ts';
import { currentDigest, type RunContext } from './context.ts';
import { differencesOf, inputDigests, kindOfFile, listFeatureFiles } from './inputs.ts';
import { findingsOfArtifact } from './inspect.ts';
import { olderParts, staleReasons } from './freshness.ts';
import { criteriaOfState } from './outcome.ts';
import type { StepDefinition } from './steps.ts';

/** Where a feature stands and why; changes nothing. */
export async function statusOf(context: RunContext, hasRun: boolean, warnings: string[]): Promise<FeatureStatus> {
  const { state } = context;
  const steps: StepStatus[] = [];
  for (const step of context.project.steps) steps.push(await stepStatus(context, step));
  return {
    feature: context.feature,
    state: hasRun ? state.status : 'none',
    steps,
    artifacts: await artifactStatuses(context),
    criteria: criteriaOfState(state),
    open: Object.entries(state.steps)
      .filter(([, { status }]) => status === 'skipped')
      .map(([name, { reason }]) => `${name}: ${reason ?? 'skipped'}`),
    warnings,
    usage: sumOf(steps.map(({ usage }) => usage)),
    cost: costOfAttempts(
      steps.flatMap(({ attempts }) => attempts),
      context.project.config.prices,
    ),
    pricesOf: PRICES_OF,
    ...(hasRun && { run: state.run, engine: state.engine }),
    ...(state.paused && { pausedAt: state.paused }),
    ...(state.commitId !== undefined && { commit: state.commitId }),
    ...(state.branch !== undefined && { branch: state.branch }),
  };
}

async function stepStatus(context: RunContext, step: StepDefinition): Promise<StepStatus> {
  const known = context.state.steps[step.name];
  const reasons = await staleReasons(context, step);
  const role = step.type === 'stage' ? context.project.roles.get(step.role) : undefined;
  const attempts = known?.attempts ?? [];
  let time = 0;
  for (const attempt of attempts) {
    // The wall clock may have been set back in between.
    if (attempt.endedAt !== undefined) time += Math.max(0, Date.parse(attempt.endedAt) - Date.parse(attempt.startedAt));
  }
  return {
    step: step.name,
    kind: step.type,
    state: stateName(known, reasons),
    attempts,
    time,
    usage: sumOf(attempts.map(({ usage }) => usage)),
    cost: costOfAttempts(attempts, context.project.config.prices),
    reasons:
      reasons === 'open'
        ? known?.reason === undefined
          ? []
          : [known.reason]
        : [
            ...reasons,
            ...(known?.note === undefined ? [] : [known.note]),
            ...(known?.adoptedFrom === undefined ? [] : [`adopted from ${known.adoptedFrom}`]),
          ],
    ...(role && { role: role.name, persona: role.persona }),
  };
}

function sumOf(usages: readonly Usage[]): Usage {
  const sum = { ...NO_USAGE };
  for (const usage of usages) addUsage(sum, usage);
  return sum;
}

function stateName(known: StepState | undefined, reasons: 'open' | string[]): StepStatus['state'] {
  if (known?.status === 'skipped') return 'skipped';
  if (reasons !== 'open') return reasons.length > 0 ? 'stale' : 'passed';
  if (known?.active) return 'running';
  return known?.attempts.at(-1)?.outcome === 'failed' ? 'failed' : 'open';
}

async function artifactStatuses(context: RunContext): Promise<ArtifactStatus[]> {
  const statuses: ArtifactStatus[] = [];
  const recorded = Object.entries(context.state.files)
    .filter(([path, { accepted }]) => path.startsWith(`${context.folder}/`) && accepted !== null)
    .map(([path]) => path);
  const present = (await listFeatureFiles(context)).map((name) => `${context.folder}/${name}`);
  for (const path of [...new Set([...recorded, ...present])].toSorted()) {
    const stage = kindOfFile(path.slice(path.lastIndexOf('/') + 1))?.stage;
    const step = context.project.steps.find(({ name }) => name === stage);
    if (step?.type === 'stage') statuses.push(await artifactStatus(context, path, step));
  }
  return statuses;
}

async function artifactStatus(context: RunContext, path: string, step: StepDefinition & { type: 'stage' }): Promise<ArtifactStatus> {
  const known = context.state.steps[step.name];
  const file = context.state.files[path];
  const current = await currentDigest(context, path);
  const base = { path, step: step.name, edited: file !== undefined && current !== file.written, olderRecipe: false };
  if (current === null) return { ...base, state: 'missing', reasons: [`${path} is gone`] };
  const findings = await findingsOfArtifact(context, path);
  if (findings[0])
    return {
      ...base,
      state: 'broken',
      reasons: findings.map(({ message, line, column }) => `${line === undefined ? '' : `${line}:${column ?? 1} `}${message}`),
    };
  const stale =
    known?.status === 'passed'
      ? differencesOf(known.inputs, await inputDigests(context, step))
      : known?.reason === undefined
        ? ['its stage has not passed']
        : [known.reason];
  const older = known?.recipe ? olderParts(known.recipe, (await composeFor(context, step)).recipe) : [];
  const reasons = [...stale, ...(older.length > 0 ? [`made with an older recipe: ${older.join(', ')}`] : [])];
  return { ...base, state: stale.length > 0 ? 'stale' : 'fresh', olderRecipe: older.length > 0, reasons };
}
