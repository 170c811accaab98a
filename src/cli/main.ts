import type { Command } from 'commander';
import { UsageError } from '../errors.ts';
import { didYouMean } from '../text/did-you-mean.ts';
import { COMMANDS, type CommandDefinition } from './commands.ts';
import { reportError } from './fail.ts';
import type { Io } from './io.ts';
import type { CommandOptions } from './options.ts';

/** Parses, runs one command, and maps whatever comes of it to an exit code. Never throws. */
export async function main(argv: string[], io: Io, signal: AbortSignal): Promise<number> {
  const isJson = argv.includes('--json');
  try {
    const { Command, CommanderError } = await import('commander');
    let code = 0;
    const program = new Command('blueprint');
    configure(program, io, 'Takes a feature from an idea to committed, tested code.');
    program.option('-V, --version', 'print the version');
    for (const definition of COMMANDS) {
      addCommand(program, definition, io, async (operand, options) => {
        code = await definition.run({ operand, options, io, signal });
      });
    }
    try {
      await program.parseAsync(argv, { from: 'user' });
    } catch (error) {
      if (!(error instanceof CommanderError)) throw error;
      if (error.exitCode === 0 || error.code === 'commander.help') return argv.length === 0 ? 2 : 0;
      throw toUsageError(error.code, error.message, argv, program);
    }
    return code;
  } catch (error) {
    return reportError(error, { io, isJson, slug: slugOf(argv) });
  }
}

function configure(command: Command, io: Io, description: string): void {
  command
    .description(description)
    .exitOverride()
    .showSuggestionAfterError(false)
    .allowExcessArguments(false)
    .configureOutput({ writeOut: (text) => io.out(text), writeErr: (text) => (text.startsWith('error:') ? undefined : io.err(text)) });
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

/** One clear message for what commander has to say, with the nearest name. */
function toUsageError(code: string, message: string, argv: string[], program: Command): UsageError {
  const plain = message.replace(/^error: /, '');
  const quoted = /'([^']+)'/.exec(plain)?.[1] ?? '';
  const used = program.commands.find((command) => argv.includes(command.name()));
  const candidates =
    code === 'commander.unknownCommand' ? COMMANDS.map(({ name }) => name) : (used ?? program).options.map(({ long }) => long ?? '');
  const near = code === 'commander.unknownCommand' || code === 'commander.unknownOption' ? didYouMean(quoted, candidates) : undefined;
  const help = used ? `See: blueprint ${used.name()} --help` : 'See: blueprint --help';
  return new UsageError(`${plain.charAt(0).toUpperCase()}${plain.slice(1)}${plain.endsWith('.') ? '' : '.'}`, {
    hint: near === undefined ? help : `Did you mean ${near}?`,
  });
}

function slugOf(argv: string[]): string | undefined {
  const at = argv.findIndex((word) => word === 'feature' || word === 'resume');
  const slug = at === -1 ? undefined : argv[at + 1];
  return slug?.startsWith('-') ? undefined : slug;
}
