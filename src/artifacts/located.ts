import { fieldName } from './findings.ts';

const LINE = Symbol('line');

/** A value together with the line it was read on. */
export interface Located {
  [LINE]: number;
  value: unknown;
}

/** Notes the line (1-based) on which a value was read. */
export function at(line: number, value: unknown): Located {
  return { [LINE]: line, value };
}

/** Changes a located text and keeps its line. */
export function mapLocated(located: Located, change: (text: string) => unknown): Located {
  return typeof located.value === 'string' ? at(located[LINE], change(located.value)) : located;
}

/** A located text without the backticks around all of it, as paths and names are shown. */
export function withoutTicks(located: Located): Located {
  return mapLocated(located, (text) => /^`([^`]*)`$/.exec(text)?.[1]?.trim() ?? text);
}

/**
 * Takes the lines out of a tree: gives the plain value, and the line of each field (`criteria[0].title`) that had one.
 * Properties that are undefined are dropped.
 */
export function resolveLocated(tree: unknown): { value: unknown; lines: Map<string, number> } {
  const lines = new Map<string, number>();
  return { value: resolve(tree, [], lines), lines };
}

function resolve(tree: unknown, path: PropertyKey[], lines: Map<string, number>): unknown {
  if (isLocated(tree)) {
    lines.set(fieldName(path), tree[LINE]);
    return resolve(tree.value, path, lines);
  }
  if (Array.isArray(tree)) return tree.map((item, index) => resolve(item, [...path, index], lines));
  if (typeof tree !== 'object' || tree === null) return tree;
  const entries = Object.entries(tree).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries.map(([key, value]) => [key, resolve(value, [...path, key], lines)]));
}

function isLocated(value: unknown): value is Located {
  return typeof value === 'object' && value !== null && LINE in value;
}
