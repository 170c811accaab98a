import type { Digests } from '../model/event.ts';
import { currentDigest, record, type RunContext } from './context.ts';
import type { Attempt } from './attempt.ts';
import { kindOfFile, listFeatureFiles } from './inputs.ts';
import { mayPlace } from './keep-or-take.ts';
import { placeFiles, type Target } from './place.ts';
import type { Accepted } from './play.ts';
import type { StageDefinition } from './steps.ts';

/** Puts an accepted draft in place, keeping what a person wrote unless they say otherwise, and records the end. */
export async function finishStage(
  context: RunContext,
  stage: StageDefinition,
  { attempt, inputs }: Attempt,
  accepted: Accepted,
): Promise<void> {
  const targets = [...accepted.targets, ...(await vanishedTargets(context, stage, accepted.targets))];
  const toPlace: Target[] = [];
  for (const target of targets) if (await mayPlace(context, stage.name, target)) toPlace.push(target);
  await placeFiles(context, { step: stage.name, attempt, purpose: 'artifacts' }, toPlace);
  const outputs: Digests = {};
  for (const path of [...targets.map((target) => target.path), ...Object.keys(accepted.protects ?? {})]) {
    const digest = await currentDigest(context, path);
    if (digest !== null) outputs[path] = digest;
  }
  const { evidence, protects } = accepted;
  await record(context, {
    type: 'stage-end',
    data: { step: stage.name, attempt, inputs, outputs, ...(evidence && { evidence }), ...(protects && { protects }) },
  });
}

/** Stories that are on disk and not in the new draft go. */
async function vanishedTargets(context: RunContext, stage: StageDefinition, targets: Target[]): Promise<Target[]> {
  if (stage.kind !== 'story') return [];
  const kept = new Set(targets.map(({ path }) => path));
  const names = (await listFeatureFiles(context)).filter((name) => kindOfFile(name)?.kind === 'story');
  return names.map((name) => ({ path: `${context.folder}/${name}`, bytes: null })).filter(({ path }) => !kept.has(path));
}
