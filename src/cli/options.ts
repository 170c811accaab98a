import { UsageError } from '../errors.ts';
import { didYouMean } from '../text/did-you-mean.ts';
import type { Effort } from '../model/engine.ts';

/** Options as commander hands them over. */
export interface CommandOptions {
  brief?: string;
  briefFile?: string;
  pauseAfter?: string[];
  from?: string;
  stage?: string;
  record?: string;
  engine?: string;
  model?: string;
  effort?: Effort;
  budget?: number | 'none';
  maxTurns?: number | 'none';
  maxTime?: number | 'none';
  commit?: boolean;
  yes?: boolean;
  json?: boolean;
  quiet?: boolean;
  cwd?: string;
  new?: boolean;
  takeNew?: boolean;
  acceptDamage?: boolean;
}

export interface OptionDefinition {
  flags: string;
  description: string;
  parse?: (value: string, previous: string[] | undefined) => unknown;
}

/** A value that is nothing but blanks, or the switch that was to come next, is a slip and not a wish. */
export function filled(name: string, noun = `value for ${name}`) {
  return (value: string): string => {
    if (value.trim() === '') throw new UsageError(`Unexpected empty ${noun}.`, { hint: `${name} needs its value right behind it.` });
    if (isSwitch(value)) {
      throw new UsageError(`Unexpected ${value} as the value of ${name}.`, { hint: `${name} needs its value right behind it.` });
    }
    return value;
  };
}

/** Repeatable and comma separated. */
export function list(name: string) {
  return (value: string, previous: string[] | undefined): string[] => [
    ...(previous ?? []),
    ...value.split(',').map((part) => filled(name)(part).trim()),
  ];
}

/** A number above 0, or `none` to take a limit away. */
export function limit(name: string, { whole }: { whole: boolean }) {
  return (value: string): number | 'none' => {
    const text = filled(name)(value).trim();
    if (text === 'none') return text;
    const number = /^\d+(?:\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
    if (number > 0 && (!whole || Number.isInteger(number))) return number;
    throw new UsageError(
      `Unexpected ${JSON.stringify(value)} for ${name}, expected ${whole ? 'a whole number' : 'a number'} above 0, or none.`,
    );
  };
}

const EFFORTS: readonly Effort[] = ['low', 'medium', 'high', 'xhigh', 'max'];

function effortOf(value: string): Effort {
  const found = EFFORTS.find((effort) => effort === value);
  if (found) return found;
  const near = didYouMean(value, EFFORTS);
  throw new UsageError(
    `Unexpected ${JSON.stringify(value)} for --effort, expected one of ${EFFORTS.join(', ')}.`,
    near === undefined ? {} : { hint: `Did you mean ${near}?` },
  );
}

/** What plays the roles. */
const ENGINE_OPTIONS: OptionDefinition[] = [
  { flags: '--engine <name>', description: 'anthropic, anthropic:<base URL> or transcript:<file>', parse: filled('--engine') },
  { flags: '--model <id>', description: 'model for every role, e.g. claude-sonnet-5-5', parse: filled('--model') },
  { flags: '--effort <level>', description: `how hard the model thinks: ${EFFORTS.join(', ')}`, parse: effortOf },
];

/** Limits of the whole run; they stay with it until another command changes them. */
const LIMIT_OPTIONS: OptionDefinition[] = [
  { flags: '--budget <dollars>', description: 'stop when the run has cost this much, or none', parse: limit('--budget', { whole: false }) },
  {
    flags: '--max-turns <count>',
    description: 'stop after so many replies of the engine, or none',
    parse: limit('--max-turns', { whole: true }),
  },
  {
    flags: '--max-time <minutes>',
    description: 'stop when this command has worked so long, or none',
    parse: limit('--max-time', { whole: false }),
  },
];
const pauseAfter: OptionDefinition = {
  flags: '--pause-after <step>',
  description: 'pause after this step, role or persona; may be given several times',
  parse: list('--pause-after'),
};
const takeNew: OptionDefinition = {
  flags: '--take-new',
  description: 'where you have edited an artifact, take the new version; yours is saved as a patch',
};
const acceptDamage: OptionDefinition = {
  flags: '--accept-damage',
  description: 'go on with a run whose journal has lines that cannot be read',
};
const record: OptionDefinition = {
  flags: '--record <file>',
  description: 'write a transcript of the whole run so far, however the command ends',
  parse: filled('--record'),
};
const noCommit: OptionDefinition = { flags: '--no-commit', description: 'end without a commit' };
const yes: OptionDefinition = { flags: '--yes', description: 'take the recommended answer at every question' };

export const COMMON: OptionDefinition[] = [
  { flags: '--json', description: 'machine output on standard output (docs/machine-output.md)' },
  { flags: '--quiet', description: 'no progress' },
  { flags: '--cwd <folder>', description: 'work from this folder', parse: filled('--cwd') },
];

/** What `feature` and `resume` share. */
const RUN_OPTIONS: OptionDefinition[] = [
  pauseAfter,
  ...ENGINE_OPTIONS,
  record,
  ...LIMIT_OPTIONS,
  noCommit,
  yes,
  takeNew,
  acceptDamage,
  ...COMMON,
];

export const FEATURE_OPTIONS: OptionDefinition[] = [
  { flags: '--brief <text>', description: 'what the feature shall do', parse: filled('--brief', 'brief') },
  { flags: '--brief-file <file>', description: 'read the brief from a file, or - for standard input', parse: filled('--brief-file') },
  { flags: '--new', description: 'end an unfinished run and begin anew' },
  ...RUN_OPTIONS,
];

export const RESUME_OPTIONS: OptionDefinition[] = [
  { flags: '--from <step>', description: 'run again from this step', parse: filled('--from') },
  ...RUN_OPTIONS,
];

export const CONTEXT_OPTIONS: OptionDefinition[] = [
  { flags: '--stage <step>', description: 'the stage, by step, role or persona', parse: filled('--stage') },
  ...COMMON,
];

function isSwitch(value: string): boolean {
  return [...FEATURE_OPTIONS, ...RESUME_OPTIONS, ...CONTEXT_OPTIONS].some(({ flags }) => flags.split(' ')[0] === value);
}
