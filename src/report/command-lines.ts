import type { EventData } from '../model/event.ts';
import { countText } from './format.ts';
import type { Line } from './lines.ts';

/** What a command came to, in one line: red and green with their counts, anything else by its exit. */
export function commandEndLine(data: EventData['command-end']): Line {
  const { command, exitCode, tests, timedOut, purpose } = data;
  if (timedOut) return { text: `  ${command} did not end in time`, tone: 'warn' };
  if (tests !== undefined) return purpose === 'red' ? redLine(data) : greenLine(data);
  return { text: `  ${command} → ${exitText(exitCode)}`, tone: exitCode === 0 ? 'plain' : 'bad' };
}

/** Before there is code a failing test is what is wanted. */
function redLine({ passed, failed }: EventData['command-end']): Line {
  const total = passed + failed;
  if (total === 0) return { text: '  not red: no test ran', tone: 'warn' };
  if (failed === 0) return { text: `  not red: ${testsText(passed, total)} pass beforehand`, tone: 'warn' };
  const before = passed === 0 ? '' : `; ${countText(passed)} passed beforehand`;
  return { text: `  red, as it should be: ${testsText(failed, total)} fail${before}`, tone: 'plain' };
}

/** Green is more than "none failed": something ran, and the command itself says so. */
function greenLine({ passed, failed, exitCode }: EventData['command-end']): Line {
  const total = passed + failed;
  if (failed > 0) return { text: `  red: ${testsText(failed, total)} fail`, tone: 'bad' };
  if (exitCode !== 0) return { text: `  not green: ${exitText(exitCode)}, though no test failed`, tone: 'bad' };
  if (total === 0) return { text: '  not green: no test ran', tone: 'warn' };
  return { text: `  green ${countText(passed)}/${countText(total)}`, tone: 'plain' };
}

function testsText(some: number, total: number): string {
  return `${countText(some)} of ${countText(total)} tests`;
}

function exitText(exitCode: number | null): string {
  return exitCode === null ? 'ended by a signal' : `exit ${exitCode}`;
}
