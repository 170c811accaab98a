import { join } from 'node:path';
import { BriefMissingError, UsageError } from '../errors.ts';
import { wellFormed } from '../text/lines.ts';
import { contentDigest } from '../text/digest.ts';
import { readText, type RunContext } from './context.ts';
import type { RunRequest } from './execute.ts';
import { placeFiles } from './place.ts';
import { listFeatureFolders, unknownFeature } from './project.ts';
import { featuresWithRuns } from './runs.ts';

/**
 * Makes sure that there is a brief before anything is written.
 * @throws BriefMissingError without one; UsageError when another one is there already, or the feature is unknown to `resume`.
 */
export async function demandBrief({ feature, options, ports }: RunRequest, hasRun: boolean): Promise<void> {
  const path = `.blueprint/features/${feature}/brief.md`;
  const bytes = await ports.files.read(join(ports.root, path));
  const present = bytes === undefined ? undefined : new TextDecoder().decode(bytes);
  if (options.mode === 'resume' && !hasRun && present === undefined) {
    throw unknownFeature(feature, [...(await listFeatureFolders(ports.root)), ...(await featuresWithRuns(ports.root))]);
  }
  if (options.brief === undefined) {
    if (present !== undefined && present.trim() !== '') return;
    throw new BriefMissingError(`Feature ${feature} has no brief.`, {
      hint: `Say it with --brief "…" or --brief-file FILE, or write ${path}.`,
    });
  }
  if (options.brief.trim() === '') throw new UsageError('Unexpected empty brief, expected what the feature shall do.');
  if (present !== undefined && contentDigest(present) !== contentDigest(briefText(options.brief))) {
    throw new UsageError(`Feature ${feature} has another brief already.`, {
      place: path,
      hint: 'Edit that file instead of giving a new one; what depends on it is then made again.',
    });
  }
}

/** Writes the brief that was said on the command line as an artifact of the run. */
export async function placeBrief(context: RunContext): Promise<void> {
  const { brief } = context.options;
  const path = `${context.folder}/brief.md`;
  if (brief === undefined || (await readText(context, path)) !== undefined) return;
  await placeFiles(context, { step: 'brief', attempt: 0, purpose: 'artifacts' }, [
    { path, bytes: new TextEncoder().encode(briefText(brief)) },
  ]);
}

function briefText(brief: string): string {
  return `${wellFormed(brief).trimEnd()}\n`;
}
