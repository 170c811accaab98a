import pc from 'picocolors';
import type { EventData, RunEvent } from '../model/event.ts';
import type { Usage } from '../model/engine.ts';

const PERSONAS: Record<string, string> = { spec: 'Alex', stories: 'Cass', tests: 'Nigel', plan: 'Codey', implement: 'Codey' };

/** Makes a function that turns each event into the lines a person should see; it remembers what a summary needs. */
export function createProgress({ colour }: { colour: boolean }): (event: RunEvent) => string[] {
  const paint = pc.createColors(colour);
  const started = new Map<string, number>();
  const used = new Map<string, number>();
  return (event) => {
    switch (event.type) {
      case 'attempt-start': {
        const { step, attempt, leftOut } = event.data;
        started.set(step, Date.parse(event.time));
        used.set(step, 0);
        const who = PERSONAS[step];
        const title = `${paint.bold(`▸ ${step}`)}${who === undefined ? '' : ` · ${who}`}${attempt > 1 ? ` · attempt ${attempt}` : ''}`;
        return [title, ...(leftOut ? [paint.yellow(`  left out of the context: ${leftOut.join(', ')}`)] : [])];
      }
      case 'turn-end':
        used.set(event.data.step, (used.get(event.data.step) ?? 0) + total(event.data.usage));
        return [];
      case 'tool-end':
        return toolLines(event.data);
      case 'tool-start':
        return event.data.write ? [`  write ${event.data.write.path}`] : [];
      case 'command-start':
        return [paint.dim(`  run ${event.command}`)];
      case 'command-end':
        return [`  ${commandLine(event.data)}`];
      case 'files-recorded':
        return event.data.purpose === 'restore' ? [`  put back ${event.data.files.map(({ path }) => path).join(', ')}`] : [];
      case 'protected-changed':
        return [paint.red(`  ! ${event.data.by} changed the protected test ${event.data.path}; it is restored`)];
      case 'attempt-end': {
        const { step, outcome, failure, reason } = event.data;
        const findings = (failure?.findings ?? []).map(({ message }) => `    - ${message.split('\n')[0] ?? ''}`);
        return [paint.red(`✗ ${step} ${outcome}: ${failure?.message ?? reason ?? ''}`), ...findings];
      }
      case 'stage-end':
        return [
          paint.green(
            stageEndLine(
              event.data,
              Date.parse(event.time) - (started.get(event.data.step) ?? Date.parse(event.time)),
              used.get(event.data.step) ?? 0,
            ),
          ),
        ];
      case 'stage-adopted':
        return [`· ${event.data.step} adopted from ${event.data.from}`];
      case 'stage-skipped':
        return [paint.yellow(`· ${event.data.step} skipped: ${event.data.reason}`)];
      case 'artifact-edited':
        return [`· ${event.data.path} ${event.data.to === null ? 'was removed' : 'was edited'} by you`];
      case 'gate-opened':
        return [paint.yellow(`? ${event.data.question}`)];
      case 'gate-answered':
        return [`  answer: ${event.data.answer}${event.data.by === 'yes' ? ' (--yes)' : ''}`];
      case 'run-started':
        return [
          `run ${event.data.run}`,
          ...(event.data.engine.startsWith('transcript:') ? ['replies are recorded; files, tests, checks and commits are real'] : []),
        ];
      case 'run-resumed':
        return ['resumed'];
      case 'step-fresh':
        return [paint.dim(`· ${event.step}: ${event.reason}`)];
      case 'step-stale':
        return [`· ${event.step} is stale: ${event.reasons.join('; ')}`];
      case 'note':
        return [event.level === 'warning' ? paint.yellow(`! ${event.text}`) : `· ${event.text}`];
      case 'waiting':
        return [event.text];
      default:
        return [];
    }
  };
}

function toolLines({ tool, kind, error, accepted }: EventData['tool-end']): string[] {
  if (kind === 'submission') return accepted === true ? [] : [`  ${tool}: sent back with findings`];
  if (kind === 'write') return [];
  return [`  ${tool}${error ? ' (error)' : ''}`];
}

function commandLine({ purpose, command, passed, failed, exitCode, tests }: EventData['command-end']): string {
  if (tests === undefined) return `${command} → ${exitCode === 0 ? 'passed' : `exit ${exitCode ?? 'by signal'}`}`;
  if (purpose === 'red') return failed > 0 ? `red, as it should be (${failed} failed, ${passed} passed)` : `not red: ${passed} passed`;
  return failed === 0 ? `green: ${passed} passed` : `red: ${failed} failed, ${passed} passed`;
}

function stageEndLine(data: EventData['stage-end'], milliseconds: number, tokens: number): string {
  const files = Object.keys(data.outputs).map((path) => path.slice(path.lastIndexOf('/') + 1));
  const parts = [
    files.join(', '),
    data.proven ? `${data.proven.length} criteria proven` : '',
    data.commit === undefined ? '' : `${data.commit.slice(0, 7)} on ${data.branch ?? 'a detached HEAD'}`,
    data.note ?? '',
    `${(Math.max(0, milliseconds) / 1000).toFixed(1)} s`,
    tokens > 0 ? `${tokens} tokens` : '',
  ];
  return `✓ ${data.step}  ${parts.filter((part) => part !== '').join(' · ')}`;
}

function total({ input, output, cacheRead, cacheWrite }: Usage): number {
  return input + output + cacheRead + cacheWrite;
}
