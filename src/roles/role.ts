import type { Effort } from '../model/engine.ts';
import { UsageError } from '../errors.ts';
import { compileTemplate, type Template } from '../text/template.ts';
import type { Library } from './library.ts';
import { type RoleLimits, readRoleFile } from './role-file.ts';

export { READS } from './role-file.ts';

/** Who plays a stage: what it is told, what it is given to read, and what it may do. */
export interface Role {
  /** File name without its ending. */
  name: string;
  /** What people call it, e.g. Alex. */
  persona: string;
  /** Kinds of input it is given, the most important first. */
  reads: readonly string[];
  /** Globs, from the project root, of what its tools may write. */
  mayTouch: string[];
  /** Names of the tools it may call. */
  tools: string[];
  /** What differs from the configured limits. */
  limits: RoleLimits;
  /** Model and effort it is played with, by engines that have a choice. */
  model?: string;
  effort?: Effort;
  /** Sees `persona`, `feature`, `stage` and `submitTool`. */
  body: Template;
  digest: string;
  /** Path to show. */
  file: string;
}

/**
 * Loads `agents/<name>.md` or the project's own file of that name.
 *
 * @param tools Names of all tools there are.
 * @throws UsageError when there is no such file, and with `place` `file:line:column` for a fault in it.
 */
export async function loadRole(name: string, library: Library, tools: readonly string[]): Promise<Role> {
  const { text, file, digest } = await library.role(name);
  const { header, body, bodyLine } = readRoleFile({ text, file, name, tools });
  if (body.trim() === '')
    throw new UsageError('Expected text below the front matter that tells the role who it is, got none.', {
      place: `${file}:${bodyLine}:1`,
    });
  const { persona, reads, mayTouch = [], limits = {}, model, effort } = header;
  const choice = { ...(model !== undefined && { model }), ...(effort !== undefined && { effort }) };
  return {
    name,
    persona,
    reads,
    mayTouch,
    tools: header.tools ?? [],
    limits,
    ...choice,
    body: bodyTemplate(body, bodyLine, file),
    digest,
    file,
  };
}

/** Faults are told by lines of the file, so the front matter's lines stay in front as empty ones. */
function bodyTemplate(body: string, bodyLine: number, file: string): Template {
  const template = compileTemplate('\n'.repeat(bodyLine - 1) + body, { name: file });
  return { name: file, render: (data) => `${template.render(data).trim()}\n` };
}
