import { z } from 'zod';
import type { CommandResult } from '../model/ports.ts';
import { capLine } from './answer-text.ts';
import { defineTool } from './define-tool.ts';

/** Bytes of each stream that a model is shown. */
const OUTPUT_LIMIT = 28_000;

/** Runs a shell command in the project root. */
export const runCommandTool = defineTool({
  name: 'run_command',
  description:
    'Runs a shell command in the project root and answers with its exit code and output. There is no input, editor or terminal; ' +
    'processes it leaves in the background are ended.',
  schema: z.strictObject({
    command: z.string().min(1).max(20_000).describe('Shell command (bash where there is one).'),
  }),
  async prepare(input, context) {
    return {
      kind: 'command',
      async run() {
        const request = {
          cwd: context.root,
          timeout: context.commandTimeout,
          signal: context.signal,
          outputLimit: OUTPUT_LIMIT,
        };
        let result = await context.processes.run({ ...request, argv: ['bash', '-c', input.command] });
        if (result.notFound) result = await context.processes.run({ ...request, argv: ['sh', '-c', input.command] });
        return { text: describeResult(result, context.commandTimeout), isError: !isSuccess(result), result };
      },
    };
  },
});

function isSuccess(result: CommandResult): boolean {
  return result.exitCode === 0 && !result.timedOut;
}

/** How a command ended, for a model: silence is said aloud, so that it is not taken for "still running". */
function describeResult(result: CommandResult, timeout: number): string {
  const output = [result.stdout, result.stderr === '' ? '' : `[stderr]\n${result.stderr}`].filter((part) => part !== '');
  const end = describeEnd(result, timeout);
  const parts = output.length === 0 ? [`(no output), ${end}`] : [...output.map((part) => part.trimEnd()), `[${end}]`];
  if (result.leftBehind.length > 0) {
    parts.push(`[It left processes in the background, which were ended: ${capLine(result.leftBehind.join('; '), 1000)}]`);
  }
  return parts.join('\n');
}

function describeEnd(result: CommandResult, timeout: number): string {
  if (result.notFound) return 'could not be started';
  if (result.timedOut) return `ended at the time limit of ${timeout / 1000} s`;
  return result.signal === undefined ? `exit ${result.exitCode}` : `killed by ${result.signal}`;
}
