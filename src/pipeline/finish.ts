import { join } from 'node:path';
import { PersonNeededError } from '../errors.ts';
import type { Digests } from '../model/event.ts';
import { currentDigest, note, record, type RunContext } from './context.ts';
import type { Attempt } from './attempt.ts';
import { decide } from './gate.ts';
import { kindOfFile, listFeatureFiles } from './inputs.ts';
import { placeFiles, savePatch, type Target } from './place.ts';
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
  for (const target of targets) if (await mayPlace(context, stage, target)) toPlace.push(target);
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

/** A file that a person has written or changed is replaced only when they say so; the new version waits as a draft. */
async function mayPlace(context: RunContext, stage: StageDefinition, { path, bytes }: Target): Promise<boolean> {
  const current = await currentDigest(context, path);
  if (current === null) return true;
  const known = context.state.files[path];
  const isOurs = known !== undefined && known.written === current && known.accepted === current;
  if (isOurs) return true;
  const after = bytes === null ? null : await context.journal.putBlob(bytes);
  if (after === current) return true;
  const draft = join(context.journal.folder, 'drafts', path.slice(path.lastIndexOf('/') + 1));
  if (bytes !== null) await context.files.replace(draft, bytes);
  const answer = await decide(
    context,
    {
      gate: `keep-or-take:${path}`,
      step: stage.name,
      text: `${path} holds your changes, and ${stage.name} has a new version${bytes === null ? ' without this file' : `: ${draft}`}.`,
      choices: [
        { value: 'keep', label: 'keep mine (--yes)' },
        { value: 'take', label: 'take the new one, mine is saved as a patch (--take-new)' },
        { value: 'stop', label: 'stop here' },
      ],
    },
    context.options.takeNew ? 'take' : undefined,
  );
  if (answer === 'stop')
    throw new PersonNeededError(`Stopped at your word before ${path} was replaced.`, {
      hint: `Go on with: blueprint resume ${context.feature}`,
    });
  if (answer === 'take') {
    const saved = await savePatch(context, path);
    note(context, `Your version of ${path} was saved as ${saved ?? 'nothing'}.`);
    return true;
  }
  note(context, `Your version of ${path} was kept.`);
  if (known?.accepted !== current)
    await record(context, { type: 'artifact-edited', data: { path, from: known?.accepted ?? null, to: current } });
  return false;
}
