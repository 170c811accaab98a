import { statusJson } from '../../report/json.ts';
import { statusLines } from '../../report/status.ts';
import type { CommandInput } from '../commands.ts';
import { workingFolder } from '../folder.ts';

/** `blueprint status`: one document with --json, a readable page without. */
export async function status(input: CommandInput): Promise<number> {
  const { operand, options, io } = input;
  const { listFeatures, readFeatureStatus } = await import('../../compose.ts');
  const cwd = await workingFolder(input);
  const features =
    operand === undefined
      ? await listFeatures({ cwd }, { env: io.env })
      : [await readFeatureStatus({ cwd, slug: operand }, { env: io.env })];
  if (options.json) {
    io.out(`${statusJson(features)}\n`);
    return 0;
  }
  const lines =
    features.length === 0
      ? ['No features yet. Begin one with: blueprint feature <slug> --brief "…"']
      : features.flatMap((feature) => statusLines(feature, { columns: io.columns }));
  io.out(`${lines.join('\n')}\n`);
  return 0;
}
