import type { StepStatus } from '../model/api.ts';
import type { Usage } from '../model/engine.ts';
import { costText, countText, durationText, plural, tokensOf } from './format.ts';
import { displayWidth, padTo } from './width.ts';

/** Steps as a table where it fits, else as lines; each step's reasons stand below it. Zero columns is "unknown". */
export function stepLines(steps: StepStatus[], columns: number): string[] {
  const rows = [HEAD, ...steps.map(cellsOf)];
  const widths = HEAD.map((_, index) => Math.max(...rows.map((row) => displayWidth(row[index] ?? ''))));
  const needed = INDENT.length + widths.reduce((sum, width) => sum + width, 0) + GAP.length * (widths.length - 1);
  if (columns < needed) return steps.flatMap((step) => [sentence(step), ...reasonLines(step)]);
  const lineOf = (row: string[]): string => `${INDENT}${row.map((cell, index) => padTo(cell, widths[index] ?? 0)).join(GAP)}`.trimEnd();
  return [lineOf(HEAD), ...steps.flatMap((step) => [lineOf(cellsOf(step)), ...reasonLines(step)])];
}

const INDENT = '  ';
const GAP = '  ';
const HEAD = ['step', 'state', 'who', 'attempts', 'time', 'tokens', 'cost'];

function cellsOf(step: StepStatus): string[] {
  return [
    step.step,
    step.state,
    whoText(step),
    attemptsText(step),
    step.time === 0 ? '-' : durationText(step.time),
    tokensText(step.usage),
    moneyText(step),
  ];
}

function sentence(step: StepStatus): string {
  const { attempts, time } = step;
  const failed = attempts.filter(({ outcome }) => outcome === 'failed').length;
  const parts = [
    step.state,
    attempts.length === 0 ? '' : `${plural(attempts.length, 'attempt')}${failed > 0 ? ` (${failed} failed)` : ''}`,
    time === 0 ? '' : durationText(time),
    tokensOf(step.usage) === 0 ? '' : `tokens: ${tokensText(step.usage)}, cost: ${costText(step.cost)}`,
  ];
  const who = whoText(step);
  return `${INDENT}${step.step}${who === '' ? '' : ` · ${who}`}: ${parts.filter((part) => part !== '').join(', ')}`;
}

function reasonLines({ reasons }: StepStatus): string[] {
  return reasons.map((reason) => `${INDENT}    ${reason}`);
}

function whoText({ persona, role }: StepStatus): string {
  if (persona === undefined) return role ?? '';
  return role === undefined ? persona : `${persona} (${role})`;
}

function attemptsText({ attempts }: StepStatus): string {
  const failed = attempts.filter(({ outcome }) => outcome === 'failed').length;
  return failed > 0 ? `${attempts.length} (${failed} failed)` : String(attempts.length);
}

function moneyText({ usage, cost }: StepStatus): string {
  return tokensOf(usage) === 0 ? '-' : costText(cost);
}

/** Tokens by kind: `1,200 in, 300 out, cache 9,000 read, 500 written`. */
export function tokensText(usage: Usage): string {
  const { input, output, cacheRead, cacheWrite } = usage;
  if (tokensOf(usage) === 0) return '-';
  const cache = cacheRead + cacheWrite > 0 ? `, cache ${countText(cacheRead)} read, ${countText(cacheWrite)} written` : '';
  return `${countText(input)} in, ${countText(output)} out${cache}`;
}
