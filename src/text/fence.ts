import type { Root } from 'mdast';
import type { Fault } from './fault.ts';
import { withoutByteOrderMark } from './lines.ts';
import { lineOf, sourceOf, spanOf } from './markdown.ts';

/**
 * Drops the fence around a whole document, as models like to add: only one that opens on the first line that is not
 * blank and closes on the last one. Anything else comes back unchanged.
 */
export function unfence(text: string): string {
  const lines = withoutByteOrderMark(text).split('\n');
  const first = lines.findIndex((line) => line.trim() !== '');
  const last = lines.findLastIndex((line) => line.trim() !== '');
  const opener = openerOf(lines[first] ?? '');
  if (!opener || last <= first || !closes(lines[last] ?? '', opener)) return text;
  const inner = lines.slice(first + 1, last);
  if (!isNested(inner, opener) && !(opener.isMarkdown && startsLikeDocument(inner))) return text;
  return `${inner.join('\n')}\n`;
}

/**
 * Faults of a document that swallow the rest of it: a code fence or an HTML comment at the top level that is opened
 * and never closed.
 */
export function findOpenEnds(text: string, root: Root): Fault[] {
  const last = root.children.at(-1);
  if (!last || (last.type !== 'code' && last.type !== 'html')) return [];
  const what = last.type === 'code' ? openFence(sourceOf(text, last)) : openHtml(sourceOf(text, last));
  if (what === undefined) return [];
  const swallowed = text.slice(spanOf(last).start).trimEnd().split('\n').length - 1;
  const line = lineOf(last);
  return [
    {
      message: `Unexpected open ${what.name} on line ${line} that swallows the ${swallowed} lines after it, expected ${what.closer} to close it.`,
      line,
      column: last.position?.start.column ?? 1,
      hint: `Add a line with ${what.closer} where the ${what.name} ends.`,
    },
  ];
}

interface Opener {
  mark: string;
  isMarkdown: boolean;
}

function openerOf(line: string): Opener | undefined {
  const match = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})[ \t]*(\S*)/.exec(line.trimEnd());
  if (!match?.[1]) return undefined;
  return { mark: match[1], isMarkdown: /^(?:md|markdown)$/i.test(match[2] ?? '') };
}

function closes(line: string, opener: Opener): boolean {
  const mark = /^ {0,3}(`{3,}|~{3,})[ \t]*$/.exec(line.trimEnd())?.[1];
  return mark !== undefined && mark[0] === opener.mark[0] && mark.length >= opener.mark.length;
}

/** Whether the fences inside pair up, counting one with an info string as an opening, as a reader would. */
function isNested(inner: string[], outer: Opener): boolean {
  const open = [outer];
  for (const line of inner) {
    const top = open.at(-1);
    if (!top) return false;
    if (closes(line, top)) open.pop();
    else {
      const opener = openerOf(line);
      if (opener) open.push(opener);
    }
  }
  return open.length === 1;
}

function startsLikeDocument(inner: string[]): boolean {
  return /^(?:---\s*$|# )/.test(inner.find((line) => line.trim() !== '') ?? '');
}

function openFence(source: string): { name: string; closer: string } | undefined {
  const lines = source.trimEnd().split('\n');
  const opener = openerOf(lines[0] ?? '');
  if (!opener || (lines.length > 1 && closes(lines.at(-1) ?? '', opener))) return undefined;
  return { name: 'code fence', closer: opener.mark };
}

function openHtml(source: string): { name: string; closer: string } | undefined {
  const start = source.trimStart();
  if (start.startsWith('<!--') && !start.includes('-->')) return { name: 'HTML comment', closer: '-->' };
  const tag = /^<(script|pre|style|textarea)\b/i.exec(start)?.[1];
  if (tag && !/<\/(?:script|pre|style|textarea)>/i.test(start)) return { name: `HTML ${tag}`, closer: `</${tag}>` };
  return undefined;
}
