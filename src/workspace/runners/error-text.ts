import { stripVTControlCharacters } from 'node:util';

const LONGEST = 4000;

/** An error for people and checks: without colours and stack lines, and of a bounded length. */
export function errorText(raw: string): string {
  const lines = stripVTControlCharacters(raw).split('\n');
  const firstOfStack = lines.findIndex((line) => /^\s+at .*(?::\d+|\))/.test(line) || /^\s+at (?:async )?\S+:\d/.test(line));
  const text = (firstOfStack > 0 ? lines.slice(0, firstOfStack) : lines).join('\n').trim();
  return text.length <= LONGEST ? text : `${Buffer.from(text.slice(0, LONGEST)).toString()}...`;
}

/** The error that ended a Node process, cut out of what it wrote to stderr; all of it when there is none to be seen. */
export function fatalErrorOf(stderr: string): string {
  const lines = stderr.split('\n');
  // What the program itself wrote comes before: the last line that looks like an error, at the margin, is the one.
  const start = lines.findLastIndex((line) => /^(?:Uncaught )?[A-Za-z]*(?:Error|Exception)(?: \[\w+\])?(?:: |$)/.test(line));
  return errorText(start < 0 ? stderr : lines.slice(start).join('\n'));
}
