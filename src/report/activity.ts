import type { ReplyProgress } from '../model/engine.ts';
import type { RunEvent } from '../model/event.ts';
import { countText } from './format.ts';
import { plainLine } from './plain.ts';
import { cutTo } from './width.ts';

/** What a step is at, in a few words of plain text. */
export interface Activity {
  step: string;
  text: string;
}

/** Columns that a path, a pattern or a command may take on one line. */
const TARGET_WIDTH = 100;

/** What is going on from this event until the next; `undefined` for events that say nothing of it. */
export function activityOf(event: RunEvent): Activity | undefined {
  switch (event.type) {
    case 'turn-start':
      return { step: event.step, text: 'asking the model' };
    case 'reply-progress':
      return { step: event.step, text: arrivingText(event) };
    case 'call-start':
      return { step: event.step, text: callText(event.tool, event.target) };
    case 'command-start':
      return { step: event.step, text: `running ${shortText(event.command)}` };
    case 'attempt-start':
    case 'turn-end':
    case 'tool-end':
    case 'command-end':
      return { step: event.data.step, text: 'working' };
    default:
      return undefined;
  }
}

/** A command or a path as one short line, whatever it holds. */
export function shortText(text: string): string {
  return cutTo(plainLine(text).replace(/\s+/g, ' ').trim(), TARGET_WIDTH);
}

function arrivingText({ kind, tool, characters }: ReplyProgress): string {
  if (kind === 'thinking') return 'thinking';
  if (kind === 'text') return 'writing';
  const what = tool === undefined ? 'preparing a call' : isSubmission(tool) ? 'writing a submission' : `preparing ${shortText(tool)}`;
  return `${what}, ${countText(characters)} characters`;
}

/** By tool: the words before a target, and those that stand where there is none. */
const CALLS: Record<string, { on: string; bare: string }> = {
  read_file: { on: 'reading', bare: 'reading a file' },
  list_files: { on: 'listing', bare: 'listing files' },
  search_files: { on: 'searching for', bare: 'searching' },
  write_file: { on: 'writing', bare: 'writing a file' },
  edit_file: { on: 'editing', bare: 'editing a file' },
  run_command: { on: 'running', bare: 'running a command' },
};

function callText(tool: string, target: string | undefined): string {
  if (isSubmission(tool)) return 'handing in';
  const name = shortText(tool);
  // A model may call a tool that there is not, by any name.
  const { on, bare } = (Object.hasOwn(CALLS, tool) ? CALLS[tool] : undefined) ?? { on: name, bare: name };
  const about = target === undefined ? '' : shortText(target);
  return about === '' ? bare : `${on} ${about}`;
}

function isSubmission(tool: string): boolean {
  return tool.startsWith('submit_');
}
