import type { FeatureStatus, StepStatus } from '../model/api.ts';

const NARROW = 60;

/** A feature's status for people: a table where there is room, plain lines where there is not. */
export function statusLines(status: FeatureStatus, { columns }: { columns: number }): string[] {
  const lines = [headLine(status)];
  if (status.pausedAt)
    lines.push(`  paused at ${status.pausedAt.step} (${status.pausedAt.reason}): ${status.pausedAt.message.split('\n')[0] ?? ''}`);
  lines.push('', ...(columns > 0 && columns < NARROW ? status.steps.map(stepLine) : table(status.steps)));
  if (status.artifacts.length > 0) lines.push('', 'artifacts');
  for (const { path, state, edited, olderRecipe, reasons } of status.artifacts) {
    const marks = [state, edited ? 'edited' : '', olderRecipe ? 'older recipe' : ''].filter((mark) => mark !== '').join(', ');
    lines.push(`  ${path.slice(path.lastIndexOf('/') + 1)}: ${marks}${reasons.length > 0 ? ` — ${reasons.join('; ')}` : ''}`);
  }
  if (status.criteria.length > 0) lines.push('', 'criteria');
  for (const { id, proven, red } of status.criteria)
    lines.push(`  ${id}: ${proven ? 'proven' : 'open'} (${red === 'already-green' ? 'never seen red' : `seen red: ${red}`})`);
  if (status.open.length > 0) lines.push('', 'open', ...status.open.map((one) => `  ${one}`));
  for (const warning of status.warnings) lines.push(`! ${warning}`);
  return [...lines, ''];
}

function headLine({ feature, state, run, commit, branch }: FeatureStatus): string {
  const where = commit === undefined ? '' : ` · ${commit.slice(0, 10)}${branch === undefined ? '' : ` on ${branch}`}`;
  return `${feature}: ${state === 'none' ? 'no run yet' : state}${run === undefined ? '' : ` · ${run}`}${where}`;
}

function table(steps: StepStatus[]): string[] {
  const rows = steps.map((step) => [
    step.step,
    step.state,
    step.persona ?? '',
    attemptsText(step),
    timeText(step.time),
    tokensText(step),
    step.reasons.join('; '),
  ]);
  const head = ['step', 'state', 'who', 'attempts', 'time', 'tokens', 'why'];
  const widths = head.map((title, index) => Math.max(title.length, ...rows.map((row) => displayWidth(row[index] ?? ''))));
  return [head, ...rows].map((row) =>
    `  ${row.map((cell, index) => (index === row.length - 1 ? cell : pad(cell, widths[index] ?? 0))).join('  ')}`.trimEnd(),
  );
}

function stepLine(step: StepStatus): string {
  return `${step.step}: ${step.state}, ${attemptsText(step)} attempts, ${timeText(step.time)}${step.reasons.length > 0 ? `; ${step.reasons.join('; ')}` : ''}`;
}

function attemptsText({ attempts }: StepStatus): string {
  const failed = attempts.filter(({ outcome }) => outcome === 'failed').length;
  return failed > 0 ? `${attempts.length} (${failed} failed)` : String(attempts.length);
}

function timeText(milliseconds: number): string {
  return milliseconds === 0 ? '-' : `${(milliseconds / 1000).toFixed(1)} s`;
}

function tokensText({ usage }: StepStatus): string {
  const { input, output, cacheRead, cacheWrite } = usage;
  if (input + output + cacheRead + cacheWrite === 0) return '-';
  return `${input} in, ${output} out${cacheRead + cacheWrite > 0 ? `, cache ${cacheRead} read, ${cacheWrite} written` : ''}`;
}

function pad(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - displayWidth(text)));
}

/** Columns a text takes: wide characters of East Asian scripts and emoji take two, combining marks none. */
export function displayWidth(text: string): number {
  let width = 0;
  for (const character of text) {
    if (/\p{Mn}|\p{Me}|\p{Cf}/u.test(character)) continue;
    width +=
      /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Extended_Pictographic}/u.test(
        character,
      )
        ? 2
        : 1;
  }
  return width;
}
