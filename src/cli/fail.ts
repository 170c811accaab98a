import { BlueprintError, EngineError, EXIT, InterruptedError, ParkedError } from '../errors.ts';
import { errorJson } from '../report/json.ts';
import { plainLine, plainLines } from '../report/plain.ts';
import type { Io, ProgramFacts } from './io.ts';

export interface Circumstances {
  io: Io;
  isJson: boolean;
  /** Of the run that was under way, if any. */
  slug: string | undefined;
  signal: AbortSignal;
}

/** Prints an error once, as its reader needs it, and gives the exit code. */
export function reportError(thrown: unknown, { io, isJson, slug, signal }: Circumstances): number {
  const { exitCode, name, message, place, hint, error } = describe(
    stopReason(thrown, signal),
    slug === undefined ? undefined : asArgument(slug),
  );
  const [first = '', ...others] = plainLines(message);
  const lines = [`error: ${first}`, ...others];
  if (place !== undefined) lines.push(`  at ${plainLine(place)}`);
  if (hint !== undefined) lines.push(...plainLines(hint).map((line) => `  ${line}`));
  if (exitCode === EXIT.bug) lines.push(...bugLines(error, io.program()));
  io.err(`${lines.join('\n')}\n`);
  if (isJson)
    io.out(`${errorJson(exitCode, { name, message, ...(place !== undefined && { place }), ...(hint !== undefined && { hint }) })}\n`);
  return exitCode;
}

/** A feature's name as it is typed in a shell: people name features with blanks, too. */
function asArgument(name: string): string {
  return /^[\p{L}\p{N}._-]+$/u.test(name) ? name : `'${name.replaceAll("'", String.raw`'\''`)}'`;
}

/** Whoever was cut off by the signal may throw an abort of its own: what counts is why. */
function stopReason(error: unknown, signal: AbortSignal): unknown {
  return signal.aborted && error instanceof Error && error.name === 'AbortError' ? signal.reason : error;
}

interface Description {
  exitCode: number;
  name: string;
  message: string;
  place: string | undefined;
  hint: string | undefined;
  error: unknown;
}

function describe(error: unknown, slug: string | undefined): Description {
  const name = error instanceof Error ? error.name : 'Error';
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof InterruptedError) {
    const resume = slug === undefined ? 'Nothing had begun; run the command again.' : `Resume with: blueprint resume ${slug}`;
    return { exitCode: error.exitCode, name, message, place: error.place, hint: resume, error };
  }
  if (slug !== undefined && (error instanceof EngineError || error instanceof ParkedError)) {
    const { exitCode, place, hint } = error;
    const resume = `Resume with: blueprint resume ${slug}`;
    return {
      exitCode,
      name,
      message,
      place,
      hint: hint === undefined ? resume : hint.includes('blueprint resume') ? hint : `${hint}\n${resume}`,
      error,
    };
  }
  if (error instanceof BlueprintError) return { exitCode: error.exitCode, name, message, place: error.place, hint: error.hint, error };
  const { code, path } = (error ?? {}) as NodeJS.ErrnoException;
  if (code !== undefined && REFUSALS.includes(code)) {
    const then = slug === undefined ? 'run the command again' : `resume with: blueprint resume ${slug}`;
    const hint = `The file system refused. What was recorded is safe: make room or allow it, then ${then}`;
    return { exitCode: EXIT.personNeeded, name, message, place: path, hint, error };
  }
  return { exitCode: EXIT.bug, name, message, place: undefined, hint: undefined, error };
}

/** Faults of the system that a person can mend and no report would. */
const REFUSALS = ['ENOSPC', 'EDQUOT', 'EROFS', 'EACCES', 'EPERM'];

function bugLines(error: unknown, { version, node, platform, reportTo }: ProgramFacts): string[] {
  const lines = framesOf(error);
  let cause = causeOf(error);
  // Bounded: a cause may name itself.
  for (let depth = 0; cause !== undefined && depth < 5; depth += 1) {
    lines.push(`  caused by ${plainLine(`${cause.name}: ${cause.message}`)}`, ...framesOf(cause));
    cause = causeOf(cause);
  }
  return [
    ...lines,
    `  blueprint ${version}, node ${node}, ${platform}`,
    `  This is a bug in blueprint. Please report it, with all of these lines and what you did, to ${reportTo}.`,
  ];
}

function framesOf(error: unknown): string[] {
  const stack = error instanceof Error ? (error.stack ?? '') : '';
  return stack
    .split('\n')
    .filter((line) => /^\s+at /.test(line))
    .map(plainLine);
}

function causeOf(error: unknown): Error | undefined {
  return error instanceof Error && error.cause instanceof Error ? error.cause : undefined;
}
