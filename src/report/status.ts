import type { ArtifactStatus, FeatureStatus } from '../model/api.ts';
import { plainLine } from './plain.ts';
import { costText, tokensOf } from './format.ts';
import { stepLines, tokensText } from './step-table.ts';

/** A feature's status for people: a table where there is room, plain lines where there is not or nobody knows. */
export function statusLines(status: FeatureStatus, { columns }: { columns: number }): string[] {
  const lines = [headLine(status), ...pausedLines(status), '', ...stepLines(status.steps, columns)];
  if (tokensOf(status.usage) > 0) lines.push('', costLine(status));
  if (status.artifacts.length > 0) lines.push('', 'artifacts', ...status.artifacts.map(artifactLine));
  if (status.criteria.length > 0) lines.push('', 'criteria');
  for (const { id, proven, red } of status.criteria) lines.push(`  ${id}: ${proven ? 'proven' : 'open'} (${redText(red)})`);
  if (status.open.length > 0) lines.push('', 'open', ...status.open.map((one) => `  ${one}`));
  for (const warning of status.warnings) lines.push(`! ${warning}`);
  return [...lines.map(plainLine), ''];
}

function headLine({ feature, state, run, commit, branch }: FeatureStatus): string {
  const where = commit === undefined ? '' : ` · ${commit.slice(0, 10)}${branch === undefined ? '' : ` on ${branch}`}`;
  return `${feature}: ${state === 'none' ? 'no run yet' : state}${run === undefined ? '' : ` · ${run}`}${where}`;
}

function costLine({ usage, cost, pricesOf }: FeatureStatus): string {
  return `cost: ${costText(cost)}${cost === 'unknown' ? '' : ` (prices of ${pricesOf})`} · ${tokensText(usage)}`;
}

function pausedLines({ pausedAt, feature }: FeatureStatus): string[] {
  if (!pausedAt) return [];
  return [
    `  paused at ${pausedAt.step} (${pausedAt.reason}): ${pausedAt.message.split('\n')[0] ?? ''}`,
    `  go on with: blueprint resume ${feature}`,
  ];
}

function artifactLine({ path, state, edited, olderRecipe, reasons }: ArtifactStatus): string {
  const marks = [state, edited ? 'edited' : '', olderRecipe ? 'made with an older recipe' : ''].filter((mark) => mark !== '').join(', ');
  return `  ${path.slice(path.lastIndexOf('/') + 1)}: ${marks}${reasons.length > 0 ? ` — ${reasons.join('; ')}` : ''}`;
}

function redText(red: string): string {
  if (red === 'already-green') return 'never seen red';
  return red === 'edited' ? 'edited since it was seen red' : `seen red: ${red}`;
}
