import { UsageError } from '../errors.ts';
import { didYouMean } from '../text/did-you-mean.ts';
import { COMMANDS, type CommandDefinition } from './commands.ts';

/** What the parser says of a command line it does not take. */
export interface ParserFault {
  /** Of commander, e.g. `commander.unknownOption`. */
  code: string;
  message: string;
}

/** One clear message for what the parser has to say, with the nearest name or the place of the help. */
export function toUsageError({ code, message }: ParserFault, argv: string[]): UsageError {
  const plain = message.replace(/^error: /, '');
  const quoted = /'([^']+)'/.exec(plain)?.[1] ?? '';
  const word = argv.find((one) => !one.startsWith('-'));
  const used = COMMANDS.find(({ name }) => name === word);
  const hint =
    code === 'commander.unknownCommand'
      ? nearest(
          quoted,
          COMMANDS.map(({ name }) => name),
        )
      : code === 'commander.unknownOption'
        ? optionHint(quoted, used, argv)
        : undefined;
  return new UsageError(`${plain.charAt(0).toUpperCase()}${plain.slice(1)}${plain.endsWith('.') ? '' : '.'}`, {
    hint: hint ?? (used ? `See: blueprint ${used.name} --help` : 'See: blueprint --help'),
  });
}

/** Refuses `help` for a command that there is not. */
export function demandKnownHelp(argv: string[]): void {
  const [first, topic] = argv;
  if (first !== 'help' || topic === undefined || topic.startsWith('-') || topic === 'help') return;
  if (!COMMANDS.some(({ name }) => name === topic))
    throw toUsageError({ code: 'commander.unknownCommand', message: `unknown command '${topic}'` }, [topic]);
}

function optionHint(given: string, used: CommandDefinition | undefined, argv: string[]): string | undefined {
  const [option = given] = given.split('=');
  if (used && optionsOf(used).includes(option)) {
    if (given !== option) return `${option} takes no value.`;
    if (argv.indexOf(option) < argv.indexOf(used.name)) return `Options stand behind the command: blueprint ${used.name} ${option}`;
  }
  const owners = COMMANDS.filter((command) => optionsOf(command).includes(option)).map(({ name }) => name);
  if (owners.length > 0) return `${option} is an option of: ${owners.join(', ')}`;
  return nearest(option, used ? [...optionsOf(used), '--help'] : ['--version', '--help']);
}

function optionsOf({ options }: CommandDefinition): string[] {
  return options.map(({ flags }) => flags.split(' ')[0] ?? flags);
}

function nearest(word: string, candidates: string[]): string | undefined {
  const near = didYouMean(word, candidates);
  return near === undefined ? undefined : `Did you mean ${near}?`;
}
