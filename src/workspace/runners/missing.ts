import { dirname, isAbsolute, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * What an error of a module loader says is missing: a module as a path from the project root (exactly as far as the
 * message goes: no ending is guessed), a package by its name, or an export by its name. `undefined` for other errors.
 */
export function findMissing(message: string, root: string): string | undefined {
  // What an assertion compares may hold any text, and that of a loader too.
  if (message.startsWith('AssertionError')) return undefined;
  const exported = firstGroup(message, MISSING_EXPORTS);
  if (exported !== undefined) return exported;
  const [, specifier, importer] = MISSING_MODULE.exec(message) ?? REQUIRED.exec(message) ?? UNRESOLVED.exec(message) ?? [];
  return specifier === undefined ? undefined : pathOfModule(specifier, importer, root);
}

// Node (ESM, CommonJS seen from ESM), and vite, where a missing export is `undefined` until it is called.
const MISSING_EXPORTS = [
  /does not provide an export named '([^']+)'/,
  /Named export '([^']+)' not found/,
  /\(0 , __vite_ssr_import_\d+__\.([\w$]+)\) is not a (?:function|constructor)/,
  /__vite_ssr_import_\d+__\.([\w$]+) is not a constructor/,
];

// Node (ESM) and vitest.
const MISSING_MODULE = /Cannot find (?:module|package) '([^']+)' imported from '?([^'\n]+?)'?(?:\n|$)/;
// require(); the first line of the stack is who asked.
const REQUIRED = /Cannot find module '([^']+)'(?:\nRequire stack:\n- ([^\n]+))?/;
// vite, before it runs a file.
const UNRESOLVED = /Failed to resolve import "([^"]+)" from "([^"]+)"/;

function firstGroup(message: string, patterns: RegExp[]): string | undefined {
  return patterns.map((pattern) => pattern.exec(message)?.[1]).find((group) => group !== undefined);
}

function pathOfModule(specifier: string, importer: string | undefined, root: string): string {
  const plain = plainPath(specifier);
  if (plain.startsWith('./') || plain.startsWith('../')) {
    const folder = importer === undefined ? root : dirname(resolve(root, plainPath(importer)));
    return projectPath(resolve(folder, plain), root);
  }
  if (!isAbsolute(plain)) return plain;
  const inside = projectPath(plain, root);
  // vite writes "/src/x" for a path from its root, which only looks absolute.
  return inside.startsWith('../') ? plain.slice(1) : inside;
}

/** Path from the project root with forward slashes. */
export function projectPath(absolute: string, root: string): string {
  return relative(root, absolute).split(sep).join('/');
}

function plainPath(path: string): string {
  return path.startsWith('file:') ? fileURLToPath(path) : path;
}
