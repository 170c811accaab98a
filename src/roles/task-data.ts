import type { Failure, Finding } from '../model/failure.ts';

/**
 * A text as templates show it: between a line `<tag name="…">` and a line `</tag>`. A text that holds the closing line
 * could end its own block and speak as if it were the task, so it gets another tag.
 */
export function describeText(text: string): { tag: string; text: string } {
  let tag = 'file';
  for (let count = 2; text.includes(`</${tag}>`); count += 1) tag = `file-${count}`;
  // The template ends the last line.
  return { tag, text: text.replace(/\r?\n$/, '') };
}

/** A failure as templates show it: every finding with its place and its hint. */
export function describeFailure({ message, findings = [] }: Failure): { message: string; findings: string[] } {
  return { message, findings: findings.map(findingLine) };
}

function findingLine({ message, file, line, column, field, hint }: Finding): string {
  const at = [file, line, column].filter((part) => part !== undefined).join(':');
  const place = [at, field ?? ''].filter((part) => part !== '').join(' ');
  return `${place === '' ? '' : `${place}: `}${message}${hint === undefined ? '' : ` (${hint})`}`;
}
