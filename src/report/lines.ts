import type { EventData, RunEvent } from '../model/event.ts';
import type { Finding } from '../model/failure.ts';
import { shortText } from './activity.ts';
import { commandEndLine } from './command-lines.ts';
import { countText, durationText } from './format.ts';

/** One line for people, before colour: how it is painted is for the renderer. */
export interface Line {
  text: string;
  tone: 'plain' | 'title' | 'good' | 'bad' | 'warn' | 'dim';
}

/** What earlier events have told that a later line needs. */
export interface Known {
  /** Milliseconds since the attempt began; `undefined` when this process did not see it begin. */
  duration: number | undefined;
  /** Tokens of the attempt so far, as far as this process has seen them. */
  tokens: number;
  /** Whether a line has just said why this step is made again. */
  saidStale: boolean;
}

/** The lines one event is worth; none for what only a program needs. */
export function eventLines(event: RunEvent, known: Known): Line[] {
  switch (event.type) {
    case 'run-started':
      return [
        line(`run ${event.data.run}`),
        ...(event.data.engine.startsWith('transcript:') ? [line('replies are recorded; files, tests, checks and commits are real')] : []),
      ];
    case 'run-resumed':
      return [line('resumed')];
    case 'run-ended':
      return event.data.status === 'aborted' ? [line(`· run ended as aborted${because(event.data.reason)}`, 'warn')] : [];
    case 'attempt-start':
      return attemptStartLines(event.data);
    case 'attempt-end':
      return attemptEndLines(event.data);
    case 'stage-end':
      return [line(stageEndText(event.data, known), 'good')];
    case 'stage-adopted':
      return [line(`· ${event.data.step} adopted from ${event.data.from}`)];
    case 'stage-skipped':
      return [line(`· ${event.data.step} skipped: ${event.data.reason}`, 'warn')];
    case 'stage-reopened':
      return known.saidStale ? [] : [line(`· ${event.data.step} again: ${event.data.reason}`)];
    case 'step-fresh':
      return [line(`· ${event.step} skipped: ${event.reason}`, 'dim')];
    case 'step-stale':
      return [line(`· ${event.step} is stale: ${event.reasons.join('; ')}`)];
    case 'call-start':
      // A command is told before it runs, which may take long; of the others the end is enough.
      return event.tool === 'run_command' ? [line(`  run_command ${shortText(event.target ?? '')}`.trimEnd(), 'dim')] : [];
    case 'tool-start':
      return event.data.write ? [line(`  write ${event.data.write.path}`)] : [];
    case 'tool-end':
      return toolEndLines(event.data);
    case 'command-start':
      return [line(`  run ${event.command}`, 'dim')];
    case 'command-end':
      return [commandEndLine(event.data)];
    case 'files-recorded':
      return event.data.purpose === 'restore' && event.data.files.length > 0
        ? [line(`  put back ${event.data.files.map(({ path }) => path).join(', ')}`)]
        : [];
    case 'protected-changed':
      return [line(`  ! ${event.data.by} changed the protected test ${event.data.path}; it is restored`, 'bad')];
    case 'artifact-edited':
      return [line(`· ${event.data.path} ${event.data.to === null ? 'was removed' : 'was edited'} by you`)];
    case 'gate-opened':
      return [line(`? ${event.data.question}`, 'warn')];
    case 'gate-answered':
      return [line(`  answer: ${event.data.answer}${event.data.by === 'yes' ? ' (--yes)' : ''}`)];
    case 'note':
      return [event.level === 'warning' ? line(`! ${event.text}`, 'warn') : line(`· ${event.text}`)];
    case 'context-trimmed':
      return [
        line(
          `  older results shortened to fit the context: about ${countText(event.data.before)} → ${countText(event.data.after)} tokens`,
          'warn',
        ),
      ];
    case 'waiting':
      return [
        line(
          event.milliseconds === undefined ? event.text : `  ${event.text} Asking again in ${Math.ceil(event.milliseconds / 1000)} s.`,
          'warn',
        ),
      ];
    default:
      // Turns and what arrives of them, commit-start and pauses: the lines around them, and the outcome, say what a person needs.
      return [];
  }
}

/** Who plays the shipped stages; events name the step only. */
const PLAYERS: Record<string, string> = {
  spec: 'Alex (spec)',
  stories: 'Cass (ba)',
  tests: 'Nigel (tester)',
  plan: 'Codey (developer)',
  implement: 'Codey (developer)',
};

/** Persona and role of a shipped stage, as a person reads them. */
export function playerOf(step: string): string | undefined {
  return Object.hasOwn(PLAYERS, step) ? PLAYERS[step] : undefined;
}

function attemptStartLines({ step, attempt, leftOut }: EventData['attempt-start']): Line[] {
  const title = ['▸ ' + step, playerOf(step), attempt > 1 ? `attempt ${attempt}` : undefined]
    .filter((part) => part !== undefined)
    .join(' · ');
  return [line(title, 'title'), ...(leftOut ? [line(`  left out of the context: ${leftOut.join(', ')}`, 'warn')] : [])];
}

function attemptEndLines({ step, outcome, failure, reason }: EventData['attempt-end']): Line[] {
  const findings = (failure?.findings ?? []).map((finding) => line(`    - ${findingText(finding)}`));
  return [line(`✗ ${step} ${outcome}${because(failure?.message ?? reason)}`, outcome === 'failed' ? 'bad' : 'warn'), ...findings];
}

/** Place, message and hint of a finding, in one line. */
function findingText({ file, line: row, column, field, message, hint }: Finding): string {
  const place =
    file === undefined ? field : [file, row, row === undefined ? undefined : column].filter((part) => part !== undefined).join(':');
  const first = message.split('\n')[0] ?? '';
  return `${place === undefined ? '' : `${place} `}${first}${hint === undefined ? '' : ` (${hint})`}`;
}

function toolEndLines({ tool, kind, error, accepted, changed }: EventData['tool-end']): Line[] {
  if (kind === 'submission') return accepted === true ? [] : [line(`  ${tool}: sent back with findings`, 'warn')];
  // A write was told when it began.
  if (kind === 'write') return error ? [line(`  ${tool} (error)`, 'warn')] : [];
  const files = changed === undefined || changed.length === 0 ? '' : `, changed ${changed.map(({ path }) => path).join(', ')}`;
  // A command was told when it began: only what came of it is left to say.
  if (tool === 'run_command' && !error && files === '') return [];
  return [line(`  ${tool}${error ? ' (error)' : ''}${files}`)];
}

function stageEndText(data: EventData['stage-end'], { duration, tokens }: Known): string {
  const files = Object.keys(data.outputs).map((path) => path.slice(path.lastIndexOf('/') + 1));
  const cost = [duration === undefined ? '' : durationText(duration), tokens > 0 ? `${countText(tokens)} tokens` : ''];
  const parts = [
    files.join(', '),
    data.proven ? `${countText(data.proven.length)} ${data.proven.length === 1 ? 'criterion' : 'criteria'} proven` : '',
    data.commit === undefined ? '' : `${data.commit.slice(0, 7)} on ${data.branch ?? 'a detached HEAD'}`,
    data.note ?? '',
    cost.filter((part) => part !== '').join(', '),
  ];
  return [`✓ ${data.step}`, ...parts.filter((part) => part !== '')].join('  ');
}

function because(reason: string | undefined): string {
  return reason === undefined || reason === '' ? '' : `: ${reason}`;
}

function line(text: string, tone: Line['tone'] = 'plain'): Line {
  return { text, tone };
}
