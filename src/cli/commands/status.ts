import { resolve } from 'node:path';
import { statusLines } from '../../report/status.ts';
import type { CommandInput } from '../commands.ts';

/** `blueprint status`: one document with --json, a readable page without. */
export async function status({ operand, options, io }: CommandInput): Promise<number> {
  const { listFeatures, readFeatureStatus } = await import('../../compose.ts');
  const cwd = resolve(io.cwd, options.cwd ?? '.');
  const features =
    operand === undefined
      ? await listFeatures({ cwd }, { env: io.env })
      : [await readFeatureStatus({ cwd, slug: operand }, { env: io.env })];
  if (options.json) {
    io.out(`${JSON.stringify({ type: 'status', features })}\n`);
    return 0;
  }
  const lines =
    features.length === 0
      ? ['No features yet. Begin one with: blueprint feature <slug> --brief "…"']
      : features.flatMap((feature) => statusLines(feature, { columns: io.columns }));
  io.out(`${lines.join('\n')}\n`);
  return 0;
}
