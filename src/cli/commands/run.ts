import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { BriefMissingError, UsageError } from '../../errors.ts';
import type { Hooks, Question, RunOptions, RunOutcome } from '../../model/api.ts';
import { eventJson, isStreamed, resultJson } from '../../report/json.ts';
import { createProgress } from '../../report/progress.ts';
import { outcomeLines } from '../../report/outcome.ts';
import type { CommandInput } from '../commands.ts';
import type { CommandOptions } from '../options.ts';
import { workingFolder } from '../folder.ts';
import { createLiveLine, type LiveLine } from '../live-line.ts';

/** `blueprint feature` and `blueprint resume`. */
export async function runCommand(input: CommandInput, mode: 'feature' | 'resume'): Promise<number> {
  const { options, io } = input;
  const cwd = await workingFolder(input);
  const brief = await readBrief(input, cwd);
  const request: RunOptions = {
    cwd,
    slug: input.operand ?? '',
    pauseAfter: options.pauseAfter ?? [],
    commit: options.commit !== false,
    yes: options.yes === true,
    takeNew: options.takeNew === true,
    fresh: options.new === true,
    acceptDamage: options.acceptDamage === true,
    mode,
    ...(brief !== undefined && { brief }),
    ...(options.from !== undefined && { from: options.from }),
    ...(options.record !== undefined && { record: options.record }),
    ...(options.engine !== undefined && { engine: options.engine }),
    ...(options.model !== undefined && { model: options.model }),
    ...(options.effort !== undefined && { effort: options.effort }),
    limits: limitsIn(options),
  };
  if (mode === 'resume') input.begun(request.slug);
  const outcome = await runAsking(request, input);
  if (options.json) io.out(`${resultJson(outcome)}\n`);
  else io.out(`${outcomeLines(outcome).join('\n')}\n`);
  return 0;
}

function limitsIn({ budget, maxTurns, maxTime }: CommandOptions): RunOptions['limits'] & object {
  return {
    ...(budget !== undefined && { budget }),
    ...(maxTurns !== undefined && { turns: maxTurns }),
    ...(maxTime !== undefined && { minutes: maxTime }),
  };
}

/** In a terminal a missing brief is asked for. */
async function runAsking(request: RunOptions, input: CommandInput): Promise<RunOutcome> {
  const { io, signal } = input;
  const { runFeature } = await import('../../compose.ts');
  const line = createLiveLine(io.screen);
  const hooks = hooksFor(input, request.slug, line);
  const endLine = (): void => line.end();
  // Whoever interrupts may do so twice, and then nobody is left to clear the line.
  signal.addEventListener('abort', endLine);
  try {
    return await runFeature(request, hooks, { env: io.env });
  } catch (error) {
    if (!(error instanceof BriefMissingError) || !io.isTerminal) throw error;
    const brief = await line.away(() => io.askText(`What shall ${request.slug} do?`, signal));
    if (brief === undefined || brief.trim() === '') throw error;
    return await runFeature({ ...request, brief }, hooks, { env: io.env });
  } finally {
    signal.removeEventListener('abort', endLine);
    endLine();
  }
}

function hooksFor({ options, io, signal, begun }: CommandInput, slug: string, line: LiveLine): Hooks {
  const progress = createProgress({ colour: io.colour.err });
  return {
    signal,
    emit: (event) => {
      begun(slug);
      if (options.json && isStreamed(event)) line.aside(() => io.out(`${eventJson(event)}\n`));
      if (!options.quiet) line.tell(event, progress(event));
    },
    ...(io.isTerminal && { ask: (question: Question) => line.away(() => io.ask(question, signal)) }),
  };
}

async function readBrief({ options, io, signal }: CommandInput, cwd: string): Promise<string | undefined> {
  const { brief, briefFile } = options;
  if (brief !== undefined && briefFile !== undefined)
    throw new UsageError('Unexpected --brief together with --brief-file, expected one of them.');
  if (briefFile === undefined) return brief;
  if (briefFile === '-') return io.readStdin(signal);
  const path = resolve(cwd, briefFile);
  return readFile(path, 'utf8').catch((cause: unknown) => {
    throw new UsageError(`The brief ${path} cannot be read.`, { cause, hint: 'Name an existing file, or - for standard input.' });
  });
}
