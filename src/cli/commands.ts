import type { Io } from './io.ts';
import { COMMON, CONTEXT_OPTIONS, FEATURE_OPTIONS, RESUME_OPTIONS, type CommandOptions, type OptionDefinition } from './options.ts';

export interface CommandInput {
  /** The command's operand, where it has one. */
  operand: string | undefined;
  options: CommandOptions;
  io: Io;
  signal: AbortSignal;
  /** To be called once there is a run that `blueprint resume` can go on with. */
  begun: (slug: string) => void;
}

export interface CommandDefinition {
  name: string;
  /** As commander writes operands: `<slug>` or `[slug]`. */
  operand?: string;
  description: string;
  options: OptionDefinition[];
  /** Resolves to the exit code. */
  run(input: CommandInput): Promise<number>;
}

/** Every command: parsing and help come from these rows. */
export const COMMANDS: CommandDefinition[] = [
  {
    name: 'init',
    description: 'write .blueprint/ into this folder; never overwrites',
    options: COMMON,
    run: async (input) => (await import('./commands/init.ts')).init(input),
  },
  {
    name: 'feature',
    operand: '<slug>',
    description: 'take a feature from its brief to a verified commit, or go on with its unfinished run',
    options: FEATURE_OPTIONS,
    run: async (input) => (await import('./commands/run.ts')).runCommand(input, 'feature'),
  },
  {
    name: 'resume',
    operand: '<slug>',
    description: 'go on with a run after a pause, an edit or an interruption',
    options: RESUME_OPTIONS,
    run: async (input) => (await import('./commands/run.ts')).runCommand(input, 'resume'),
  },
  {
    name: 'status',
    operand: '[slug]',
    description: 'show each step and each artifact of a feature, or of all',
    options: COMMON,
    run: async (input) => (await import('./commands/status.ts')).status(input),
  },
  {
    name: 'context',
    operand: '<slug>',
    description: 'print what a stage of a feature would be told now, and how long it is',
    options: CONTEXT_OPTIONS,
    run: async (input) => (await import('./commands/context.ts')).context(input),
  },
];
