import * as z from 'zod';
import { normaliseText, wellFormed } from './lines.ts';
import { blockFault } from './block.ts';

/** Most UTF-16 units of a line and of a block, where a schema does not say otherwise. */
export const LINE_MAX = 1000;
export const BLOCK_MAX = 20_000;

/** One line of inline Markdown with at least one character. Line ends and control characters become single spaces. */
export function line(options: { max?: number } = {}) {
  const max = options.max ?? LINE_MAX;
  return z
    .string()
    .overwrite(canonicalLine)
    .min(1, { error: 'Unexpected empty text, expected one line' })
    .max(max, { error: (issue) => `Unexpected ${lengthOf(issue.input)} characters, expected at most ${max}` })
    .describe('One line of Markdown.');
}

/**
 * Markdown that stands alone in a section: paragraphs, lists, tables, code, quotes; no headings, no definitions, and
 * nothing left open that would swallow what follows.
 */
export function block(options: { max?: number } = {}) {
  const max = options.max ?? BLOCK_MAX;
  return z
    .string()
    .overwrite(canonicalBlock)
    .min(1, { error: 'Unexpected empty text, expected Markdown' })
    .max(max, { error: (issue) => `Unexpected ${lengthOf(issue.input)} characters, expected at most ${max}` })
    .superRefine((value, context) => {
      // A text that is too long is refused already; parsing it could take long.
      if (value === '' || value.length > max) return;
      const fault = blockFault(value);
      if (fault) context.addIssue({ code: 'custom', message: fault });
    })
    .describe('Markdown without headings: paragraphs, lists, tables or code.');
}

/** A path from the project root with forward slashes. */
export function path() {
  return z
    .string()
    .overwrite(canonicalPath)
    .min(1, { error: 'Unexpected empty path, expected a path from the project root' })
    .max(400, { error: 'Unexpected path of more than 400 characters' })
    .superRefine((value, context) => {
      const fault = value === '' ? undefined : pathFault(value);
      if (fault) context.addIssue({ code: 'custom', message: `${fault}, expected a path from the project root such as src/login.ts` });
    })
    .describe('Path from the project root, with forward slashes.');
}

/** The one form of a line: see `line`. */
export function canonicalLine(text: string): string {
  return wellFormed(text)
    .split(/[\p{Cc}\u2028\u2029]+/u)
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .join(' ');
}

/**
 * The one form of a block: LF, no control characters but tab and newline, well-formed, without blank lines around it.
 * The indent of the first line stays, since it may be what makes it code or keeps a list flat.
 */
export function canonicalBlock(text: string): string {
  return wellFormed(normaliseText(text))
    .replace(/[^\P{Cc}\t\n]/gu, '')
    .trimEnd()
    .replace(/^(?:[ \t]*\n|\uFEFF)+/, '');
}

/** Backslashes turned, `.` parts and doubled slashes dropped; control characters are left for the schema to refuse. */
export function canonicalPath(text: string): string {
  const parts = text
    .trim()
    .replaceAll('\\', '/')
    .replace(/\/{2,}/g, '/')
    .split('/');
  const next = parts.filter((part) => part !== '.').join('/');
  // Dropping a part may bare blanks or another part to drop.
  return next === text ? text : canonicalPath(next);
}

function pathFault(path: string): string | undefined {
  if (/[\p{Cc}\u2028\u2029\p{Surrogate}]/u.test(path)) return 'Unexpected control character in a path';
  if (path.includes('`')) return 'Unexpected backtick in a path';
  if (path.startsWith('/') || /^[a-z]:/i.test(path)) return `Unexpected absolute path "${path}"`;
  if (path.split('/').some((part) => part === '..')) return `Unexpected ".." in "${path}"`;
  return undefined;
}

function lengthOf(input: unknown): number {
  return typeof input === 'string' ? input.length : 0;
}
