import type { RunOutcome } from '../model/api.ts';
import { isProof, type RedEvidence } from '../model/evidence.ts';
import type { RunState } from '../model/state.ts';

/** What a run has come to, for the edge to print. */
export function outcomeOf({
  state,
  root,
  folder,
  pausedAfter,
}: {
  state: RunState;
  root: string;
  folder: string;
  pausedAfter?: string | undefined;
}): RunOutcome {
  const written = Object.entries(state.files).filter(([, { accepted }]) => accepted !== null);
  const artifacts = written.map(([path]) => path).filter((path) => path.startsWith(`${folder}/`));
  const tests = Object.keys(state.protects);
  const code = written
    .filter(([path, { first, accepted }]) => first !== accepted && !path.startsWith('.blueprint/') && !tests.includes(path))
    .map(([path]) => path);
  const commitNote = state.steps['commit']?.note;
  const verifyNote = state.steps['verify']?.note;
  const notes = [verifyNote, state.commitId === undefined ? undefined : commitNote].filter((one) => one !== undefined);
  return {
    status: pausedAfter === undefined ? 'completed' : 'paused',
    run: state.run,
    feature: state.feature,
    root,
    folder,
    artifacts: artifacts.toSorted(),
    tests: tests.toSorted(),
    code: code.toSorted(),
    criteria: criteriaOfState(state),
    notes,
    ...(pausedAfter !== undefined && { pausedAfter }),
    ...(state.commitId !== undefined && { commit: state.commitId }),
    ...(state.branch !== undefined && { branch: state.branch }),
    ...(state.commitId === undefined && commitNote !== undefined && { notCommitted: commitNote }),
  };
}

/** A criterion counts as proven when its tests passed under verification and had been seen red. */
export function criteriaOfState(state: RunState): { id: string; proven: boolean; red: string }[] {
  const byCriterion = new Map<string, RedEvidence[]>();
  for (const { criterion, red } of state.evidence) byCriterion.set(criterion, [...(byCriterion.get(criterion) ?? []), red]);
  return [...byCriterion].map(([id, reds]) => {
    const red = reds.find(isProof) ?? reds.find((one) => one === 'edited') ?? 'already-green';
    return { id, red, proven: state.proven.includes(id) && isProof(red) };
  });
}
