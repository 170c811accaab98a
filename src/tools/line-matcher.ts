import { createContext, Script } from 'node:vm';
import { CallerFault } from './define-tool.ts';

/** Indices of the lines that match. Throws `CallerFault` when the pattern takes too long. */
export type Matcher = (lines: string[]) => number[];

/** Characters of a line that a pattern is tried on. */
const MATCHED_WIDTH = 2000;
/** Milliseconds a pattern may take on one file. */
const TIME_LIMIT = 1000;

/** Makes a matcher of a text or a regular expression; one that does not parse is a `CallerFault`. */
export function createMatcher(wanted: { query: string; regex: boolean; ignoreCase: boolean }): Matcher {
  return wanted.regex ? matchPattern(wanted.query, wanted.ignoreCase) : matchText(wanted.query, wanted.ignoreCase);
}

function matchText(query: string, ignoreCase: boolean): Matcher {
  const fold = (text: string) => (ignoreCase ? text.toLowerCase() : text);
  const folded = fold(query);
  return (lines) => lines.flatMap((line, index) => (fold(line).includes(folded) ? [index] : []));
}

function matchPattern(query: string, ignoreCase: boolean): Matcher {
  const sandbox = { pattern: parsePattern(query, ignoreCase), lines: [] as string[], found: [] as number[] };
  const context = createContext(sandbox);
  const script = new Script('for (let i = 0; i < lines.length; i += 1) if (pattern.test(lines[i])) found.push(i);');
  return (lines) => {
    sandbox.lines = lines.map((line) => line.slice(0, MATCHED_WIDTH));
    sandbox.found = [];
    try {
      // `(a|aa)+$` takes longer than the universe has on one line. Nothing but a second thread can stop a running
      // pattern, and the time limit of a script is one.
      script.runInContext(context, { timeout: TIME_LIMIT });
    } catch {
      throw new CallerFault('This regular expression takes too long; write it without a repetition inside a repetition.');
    }
    return sandbox.found;
  };
}

function parsePattern(query: string, ignoreCase: boolean): RegExp {
  const flags = ignoreCase ? 'i' : '';
  try {
    return new RegExp(query, `${flags}u`);
  } catch {
    // Models escape signs that need none, which only the older syntax lets pass.
  }
  try {
    return new RegExp(query, flags);
  } catch (error) {
    throw new CallerFault(`The query is no regular expression: ${error instanceof Error ? error.message : 'it does not parse'}`);
  }
}
