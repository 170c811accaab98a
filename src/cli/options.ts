import { UsageError } from '../errors.ts';

/** Options as commander hands them over. */
export interface CommandOptions {
  brief?: string;
  briefFile?: string;
  pauseAfter?: string[];
  from?: string;
  engine?: string;
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

const engine: OptionDefinition = {
  flags: '--engine <name>',
  description: 'what plays the roles, e.g. transcript:replies.yaml',
  parse: filled('--engine'),
};
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
const noCommit: OptionDefinition = { flags: '--no-commit', description: 'end without a commit' };
const yes: OptionDefinition = { flags: '--yes', description: 'take the recommended answer at every question' };

export const COMMON: OptionDefinition[] = [
  { flags: '--json', description: 'machine output on standard output (docs/machine-output.md)' },
  { flags: '--quiet', description: 'no progress' },
  { flags: '--cwd <folder>', description: 'work from this folder', parse: filled('--cwd') },
];

/** What `feature` and `resume` share. */
const RUN_OPTIONS: OptionDefinition[] = [pauseAfter, engine, noCommit, yes, takeNew, acceptDamage, ...COMMON];

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

function isSwitch(value: string): boolean {
  return [...FEATURE_OPTIONS, ...RESUME_OPTIONS].some(({ flags }) => flags.split(' ')[0] === value);
}
