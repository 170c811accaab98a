import type { ContextPart, StageContext } from '../model/api.ts';
import { countText } from './format.ts';
import { plainLine } from './plain.ts';
import { displayWidth, padTo } from './width.ts';

/** What a stage would be told, part by part and word for word, and behind it how long each part is. */
export function contextLines(context: StageContext): string[] {
  return [
    openLine(context),
    '',
    ...context.parts.flatMap((part) => [headingOf(part), part.text, '']),
    ...sizeLines(context),
    '',
    plainLine(`left out: ${context.leftOut.length === 0 ? 'nothing' : context.leftOut.join(', ')}`),
    plainLine(`inputs: ${context.inputs.length === 0 ? 'none' : context.inputs.join(', ')}`),
  ];
}

function openLine({ feature, stage, attempt, isOpen, superseded }: StageContext): string {
  const head = `${feature}: ${stage}, attempt ${attempt}`;
  if (isOpen) return plainLine(`${head}; attempt ${attempt} is open and goes on with its recorded prompt`);
  if (superseded === undefined) return head;
  return plainLine(`${head}; attempt ${attempt - 1} is open and will be ended${superseded === '' ? '' : `: ${superseded}`}`);
}

function headingOf({ name, characters, tokens }: ContextPart): string {
  return plainLine(`── ${name} · ${countText(characters)} characters · about ${countText(tokens)} tokens`);
}

/** Numbers stand right under each other; tokens are estimates, and the head says so. */
function sizeLines({ parts, total }: StageContext): string[] {
  const rows = [
    ['part', 'characters', 'tokens, about'],
    ...[...parts, { name: 'total', ...total }].map(({ name, characters, tokens }) => [
      plainLine(name),
      countText(characters),
      countText(tokens),
    ]),
  ];
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => displayWidth(row[column] ?? ''))));
  return rows.map(
    ([name = '', characters = '', tokens = '']) =>
      `  ${padTo(name, widths[0] ?? 0)}  ${characters.padStart(widths[1] ?? 0)}  ${tokens.padStart(widths[2] ?? 0)}`,
  );
}
