import { join } from 'node:path';
import { PersonNeededError } from '../errors.ts';
import { currentDigest, note, record, type RunContext } from './context.ts';
import { decide } from './gate.ts';
import { savePatch, type Target } from './place.ts';

/** A file that a person has written or changed is replaced only when they say so; the new version waits as a draft. */
export async function mayPlace(context: RunContext, step: string, { path, bytes }: Target): Promise<boolean> {
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
      step,
      text: `${path} holds your changes, and ${step} has a new version${bytes === null ? ' without this file' : `: ${draft}`}.`,
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
