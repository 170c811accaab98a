import { contextLines } from '../../report/context.ts';
import { contextJson } from '../../report/json.ts';
import { plainLine } from '../../report/plain.ts';
import type { CommandInput } from '../commands.ts';
import { workingFolder } from '../folder.ts';

/** `blueprint context`: what a stage would be told now; one document with --json. */
export async function context(input: CommandInput): Promise<number> {
  const { operand, options, io } = input;
  const { readStageContext } = await import('../../compose.ts');
  const found = await readStageContext({ cwd: await workingFolder(input), slug: operand ?? '', stage: options.stage }, { env: io.env });
  if (!options.quiet) for (const warning of found.warnings) io.err(`! ${plainLine(warning)}\n`);
  io.out(options.json ? `${contextJson(found)}\n` : `${contextLines(found).join('\n')}\n`);
  return 0;
}
