import { resultJson } from '../../report/json.ts';
import type { CommandInput } from '../commands.ts';
import { workingFolder } from '../folder.ts';

/** `blueprint init`: writes what a project starts with and says what next. */
export async function init(input: CommandInput): Promise<number> {
  const { options, io } = input;
  const { initProject } = await import('../../compose.ts');
  const { root, written, kept } = await initProject({ cwd: await workingFolder(input) });
  if (options.json) {
    io.out(`${resultJson({ root, written, kept })}\n`);
    return 0;
  }
  const lines = [
    ...written.map((path) => `wrote ${path}`),
    ...kept.map((path) => `kept  ${path} (it was there already)`),
    '',
    'Next:',
    '  1. Say in .blueprint/SYSTEM_SPEC.md what every feature stands on.',
    '  2. Begin a feature: blueprint feature <slug> --brief "what it shall do"   (with ANTHROPIC_API_KEY set, or --engine)',
  ];
  io.out(`${lines.join('\n')}\n`);
  return 0;
}
