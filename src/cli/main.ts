import type { Command } from 'commander';
import { COMMANDS, type CommandDefinition } from './commands.ts';
import { reportError } from './fail.ts';
import type { Io } from './io.ts';
import type { CommandOptions } from './options.ts';
import { demandKnownHelp, toUsageError } from './suggest.ts';

/** Parses, runs one command, and maps whatever comes of it to an exit code. Never throws. */
export async function main(argv: string[], io: Io, signal: AbortSignal): Promise<number> {
  const end = argv.indexOf('--');
  const isJson = (end === -1 ? argv : argv.slice(0, end)).includes('--json');
  // Known once there is a run; what goes wrong before cannot be resumed.
  const running: { slug: string | undefined } = { slug: undefined };
  try {
    demandKnownHelp(argv);
    const begun = (slug: string): void => void (running.slug = slug);
    return await parseAndRun(argv, io, (definition, operand, options) => definition.run({ operand, options, io, signal, begun }));
  } catch (error) {
    return reportError(error, { io, isJson, signal, ...running });
  }
}

type Run = (definition: CommandDefinition, operand: string | undefined, options: CommandOptions) => Promise<number>;

async function parseAndRun(argv: string[], io: Io, run: Run): Promise<number> {
  const { Command, CommanderError } = await import('commander');
  let exitCode = 0;
  const program = new Command('blueprint');
  configure(program, io, 'Takes a feature from an idea to committed, tested code.');
  // Alone it is answered by bin.ts, before this file is loaded.
  program.version(io.program().version, '-V, --version', 'print the version');
  for (const definition of COMMANDS) {
    addCommand(program, definition, io, async (operand, options) => {
      exitCode = await run(definition, operand, options);
    });
  }
  try {
    await program.parseAsync(argv, { from: 'user' });
    return exitCode;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0 || error.code === 'commander.help') return argv.length === 0 ? 2 : 0;
    throw toUsageError(error, argv);
  }
}

function configure(command: Command, io: Io, description: string): void {
  command
    .description(description)
    .exitOverride()
    .showSuggestionAfterError(false)
    .allowExcessArguments(false)
    .configureOutput({
      writeOut: (text) => io.out(text),
      // Errors are told once, by reportError.
      writeErr: (text) => (text.startsWith('error:') ? undefined : io.err(text)),
      getOutHelpWidth: () => io.columns || 80,
      getErrHelpWidth: () => io.columns || 80,
    });
}

function addCommand(
  program: Command,
  definition: CommandDefinition,
  io: Io,
  action: (operand: string | undefined, options: CommandOptions) => Promise<void>,
): void {
  const command = program.command(definition.name);
  configure(command, io, definition.description);
  if (definition.operand) command.argument(definition.operand);
  for (const { flags, description, parse } of definition.options) {
    if (parse) command.option(flags, description, parse as (value: string, previous: unknown) => unknown);
    else command.option(flags, description);
  }
  command.action(async (...given: unknown[]) => {
    const operand = definition.operand ? (given[0] as string | undefined) : undefined;
    await action(operand, command.opts());
  });
}
