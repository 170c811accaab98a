import { BlueprintError, EXIT, InterruptedError } from '../errors.ts';
import type { Io } from './io.ts';

/** Prints an error once, as its reader needs it, and gives the exit code. */
export function reportError(error: unknown, { io, isJson, slug }: { io: Io; isJson: boolean; slug: string | undefined }): number {
  const known = error instanceof BlueprintError ? error : undefined;
  const exitCode = known?.exitCode ?? EXIT.bug;
  const resume = slug === undefined ? undefined : `Resume with: blueprint resume ${slug}`;
  const hint = known instanceof InterruptedError ? resume : known?.hint;
  const message = error instanceof Error ? error.message : String(error);
  const isBug = exitCode === EXIT.bug;
  const lines = [`error: ${message}`];
  if (known?.place !== undefined) lines.push(`  at ${known.place}`);
  if (hint !== undefined) lines.push(`  ${hint}`);
  if (isBug) lines.push(...bugLines(error));
  io.err(`${lines.join('\n')}\n`);
  if (isJson) {
    const name = error instanceof Error ? error.name : 'Error';
    const details = { name, message, ...(known?.place !== undefined && { place: known.place }), ...(hint !== undefined && { hint }) };
    io.out(`${JSON.stringify({ type: 'result', ok: false, exitCode, error: details })}\n`);
  }
  return exitCode;
}

function bugLines(error: unknown): string[] {
  const stack = error instanceof Error && error.stack ? error.stack.split('\n').slice(1) : [];
  const code = (error as NodeJS.ErrnoException | undefined)?.code;
  if (code === 'ENOSPC' || code === 'EROFS' || code === 'EACCES')
    return ['  The file system refused to be written. What was recorded is safe; make room, then resume.'];
  return [...stack, '  This is a bug. Please report it with the lines above, your version (blueprint --version) and what you did.'];
}
