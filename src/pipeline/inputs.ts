import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Digests } from '../model/event.ts';
import type { KindName } from '../model/artifact.ts';
import { criteriaOf } from '../artifacts/criteria.ts';
import { contentDigest } from '../text/digest.ts';
import { absolute, currentDigest, readText, type RunContext } from './context.ts';
import type { StageDefinition, StepDefinition } from './steps.ts';

export interface StageInput {
  /** As it is cited: a bare name within the feature's folder, else the path from the project root. */
  name: string;
  /** What roles list in `reads`. */
  kind: string;
  path: string;
  text: string;
}

/** Kind of a file of the feature's folder, told by its name; undefined for files that are nobody's. */
export function kindOfFile(name: string): { kind: KindName; stage?: string } | undefined {
  if (name === 'FEATURE_SPEC.md') return { kind: 'feature-spec', stage: 'spec' };
  if (/^story-.+\.md$/.test(name)) return { kind: 'story', stage: 'stories' };
  if (name === 'test-spec.md') return { kind: 'test-spec', stage: 'tests' };
  if (name === 'IMPLEMENTATION_PLAN.md') return { kind: 'implementation-plan', stage: 'plan' };
  const noted = /^(hand-off|report)-(.+)\.md$/.exec(name);
  return noted?.[2] === undefined ? undefined : { kind: noted[1] as KindName, stage: noted[2] };
}

/** Names of the files in a feature's folder, sorted by code unit so that every machine has the same order. */
export async function listFeatureFiles(context: RunContext): Promise<string[]> {
  const names = await readdir(absolute(context, context.folder)).catch(() => []);
  return names.toSorted((one, other) => (one < other ? -1 : 1));
}

/** What a stage is given to read: what its role lists, as far as earlier steps have made it. */
export async function inputsOf(context: RunContext, stage: StageDefinition): Promise<StageInput[]> {
  const reads = new Set(context.project.roles.get(stage.role)?.reads ?? []);
  const earlier = earlierSteps(context.project.steps, stage.name);
  const inputs: StageInput[] = [];
  const add = async (name: string, kind: string, path: string): Promise<void> => {
    const text = reads.has(kind) ? await readText(context, path) : undefined;
    if (text !== undefined) inputs.push({ name, kind, path, text });
  };
  await add('brief.md', 'brief', `${context.folder}/brief.md`);
  await add(context.project.config.systemSpec, 'system-spec', context.project.config.systemSpec);
  if (reads.has('business-context')) for (const path of await namedBusinessContext(context)) await add(path, 'business-context', path);
  for (const name of await listFeatureFiles(context)) {
    const found = kindOfFile(name);
    if (found?.stage !== undefined && earlier.has(found.stage)) await add(name, found.kind, `${context.folder}/${name}`);
  }
  return inputs;
}

/** Digests of a step's inputs by name; criteria have their own, so that `status` can say which one changed. */
export async function inputDigests(context: RunContext, step: StepDefinition): Promise<Digests> {
  if (step.type === 'program') return runFileDigests(context, step.name === 'commit');
  const digests: Digests = {};
  for (const { name, kind, text } of await inputsOf(context, step)) {
    digests[name] = contentDigest(text);
    if (kind === 'story') for (const { id, digest } of criteriaOf(text)) digests[`${name}#${id}`] = digest;
  }
  if (step.name === 'implement') Object.assign(digests, context.state.protects);
  return digests;
}

/** The tree a verification speaks of: every file the run has written and left different. */
export async function runFileDigests(context: RunContext, withArtifacts = false): Promise<Digests> {
  const digests: Digests = {};
  for (const path of Object.keys(context.state.files).toSorted()) {
    if (withArtifacts || !path.startsWith('.blueprint/')) digests[path] = (await currentDigest(context, path)) ?? 'none';
  }
  return digests;
}

/** One sentence per input that differs between then and now. */
export function differencesOf(then: Digests, now: Digests): string[] {
  const reasons: string[] = [];
  for (const name of [...new Set([...Object.keys(then), ...Object.keys(now)])].toSorted()) {
    if (then[name] === now[name]) continue;
    // The file as a whole is said only when none of its items says it better.
    const isCovered =
      !name.includes('#') &&
      [...Object.keys(then), ...Object.keys(now)].some((key) => key.startsWith(`${name}#`) && then[key] !== now[key]);
    if (isCovered) continue;
    reasons.push(`${name} ${then[name] === undefined ? 'is new' : now[name] === undefined ? 'is gone' : 'has changed'}`);
  }
  return reasons;
}

export function earlierSteps(steps: readonly StepDefinition[], name: string): Set<string> {
  return new Set(
    steps
      .slice(
        0,
        steps.findIndex((step) => step.name === name),
      )
      .map((step) => step.name),
  );
}

/** Business context counts as an input only where the brief names the file: everything else would make all stages stale. */
async function namedBusinessContext(context: RunContext): Promise<string[]> {
  const folder = context.project.config.businessContext;
  const names = await readdir(join(context.project.root, folder)).catch(() => []);
  const brief = (await readText(context, `${context.folder}/brief.md`)) ?? '';
  return names
    .filter((name) => name.endsWith('.md') && brief.includes(name))
    .toSorted()
    .map((name) => `${folder}/${name}`);
}
