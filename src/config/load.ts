import { isMap, isScalar, isSeq, LineCounter, parseDocument, type Document, type Node } from 'yaml';
import type * as z from 'zod';
import { UsageError } from '../errors.ts';
import { didYouMean } from '../text/did-you-mean.ts';
import { configSchema, type Config } from './schema.ts';

/**
 * Reads a configuration file; without one, everything has its default.
 * @throws UsageError at `file:line:column`, with what was expected and what was found.
 */
export function loadConfig({ text, file }: { text: string | undefined; file: string }): { config: Config; warnings: string[] } {
  const source = (text ?? '').replace(/^\uFEFF/, '');
  const lines = new LineCounter();
  const document = parseDocument(source, { lineCounter: lines, prettyErrors: false });
  const place = (offset: number): string => {
    const { line, col } = lines.linePos(offset);
    return `${file}:${line}:${col}`;
  };
  const fault = document.errors[0];
  if (fault) throw new UsageError(`${file} is not valid YAML: ${fault.message}`, { place: place(fault.pos[0]) });
  const parsed = configSchema.safeParse(document.toJS() ?? {});
  if (parsed.success) return { config: parsed.data, warnings: [] };
  const issue = parsed.error.issues[0] as z.core.$ZodIssue;
  const { path, message, hint } = explain(issue);
  throw new UsageError(`${path.join('.') || 'The configuration'}: ${message}.`, { place: place(offsetOf(document, path)), ...(hint !== undefined && { hint }) });
}

function explain(issue: z.core.$ZodIssue): { path: PropertyKey[]; message: string; hint?: string } {
  if (issue.code !== 'unrecognized_keys') return { path: issue.path, message: issue.message.replace(/\.$/, '') };
  const key = issue.keys[0] ?? '';
  const near = didYouMean(key, namesAt(issue.path));
  return { path: [...issue.path, key], message: `Unexpected key "${key}", expected one of ${namesAt(issue.path).join(', ')}`, ...(near !== undefined && { hint: `Did you mean ${near}?` }) };
}

/** Names that are allowed where an unknown one was found. */
function namesAt(path: PropertyKey[]): string[] {
  const named: Record<string, string[]> = {
    '': Object.keys(configSchema.shape),
    test: ['runner'],
    limits: ['turns', 'tokens', 'minutes', 'mendRounds', 'commandSeconds'],
    retry: ['maxRetries'],
    stages: ['name', 'role', 'after'],
  };
  return named[String(path[0] ?? '')] ?? [];
}

/** Offset of the node at a path, or of its nearest parent that is there; for an unknown key, of the key. */
function offsetOf(document: Document, path: PropertyKey[]): number {
  let node: unknown = document.contents;
  let offset = 0;
  for (const step of path) {
    if (isMap(node)) {
      const pair = node.items.find(({ key }) => isScalar(key) && key.value === step);
      if (!pair) break;
      offset = (pair.key as Node).range?.[0] ?? offset;
      node = pair.value;
    } else if (isSeq(node)) {
      node = node.items[Number(step)];
      offset = (node as Node | undefined)?.range?.[0] ?? offset;
    }
  }
  return offset;
}
