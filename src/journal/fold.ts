import type { EventData, JournalEvent } from '../model/event.ts';
import { isProof } from '../model/evidence.ts';
import type { RunState } from '../model/state.ts';
import type { FileChange } from '../model/ports.ts';
import { addLost, close, endAttempt, endTurn, rememberPlaced, startAttempt, stepOf, summaryOf, turnOf } from './fold-attempt.ts';

/** Events after which a recorded change of files may still be waiting for its rename. */
const LEAVES_UNSETTLED = new Set(['run-resumed', 'run-paused', 'gate-opened', 'gate-answered', 'artifact-edited']);

export function initialState(): RunState {
  return {
    run: '',
    feature: '',
    schema: 0,
    version: '',
    engine: '',
    commit: true,
    base: null,
    limits: {},
    choice: {},
    startedAt: '',
    status: 'running',
    steps: {},
    files: {},
    unsettled: [],
    protects: {},
    evidence: [],
    seenRed: {},
    proven: [],
    lastSeq: 0,
  };
}

/** Applies one event to the state, in place: a run may have a hundred thousand of them. Unknown types change nothing. */
export function applyEvent(state: RunState, event: JournalEvent): void {
  state.lastSeq = event.seq;
  if (!LEAVES_UNSETTLED.has(event.type)) state.unsettled = [];
  switch (event.type) {
    case 'run-started': {
      const { schema, version, run, feature, engine, commit, base, parent } = event.data;
      Object.assign(state, { schema, version, run, feature, engine, commit, base, startedAt: event.time });
      if (parent !== undefined) state.parent = parent;
      Object.assign(state.limits, event.data.limits);
      state.choice = event.data.choice ?? {};
      if (event.data.from !== undefined) state.from = event.data.from;
      return;
    }
    case 'run-resumed':
      state.status = 'running';
      state.engine = event.data.engine;
      state.choice = event.data.choice ?? {};
      Object.assign(state.limits, event.data.limits);
      delete state.paused;
      return;
    case 'run-paused':
      state.status = 'paused';
      state.paused = event.data;
      if (event.data.reason === 'asked') stepOf(state, event.data.step).pauseHeld = true;
      return;
    case 'run-ended':
      state.status = event.data.status;
      return;
    case 'attempt-start':
      delete state.from;
      return startAttempt(state, event.data, event.time);
    case 'turn-end':
      return endTurn(state, event.data);
    case 'turn-lost':
      return addLost(state, event.data);
    case 'tool-start':
      return startCall(state, event.data);
    case 'tool-end':
      return endCall(state, event.data);
    case 'files-recorded':
      recordFiles(state, event.data.step, event.data.files);
      if (event.data.purpose === 'artifacts') rememberPlaced(state, event.data);
      return;
    case 'attempt-end':
      return endAttempt(state, event.data, event.time);
    case 'stage-end':
      return endStage(state, event.data, event.time);
    case 'stage-adopted': {
      const step = stepOf(state, event.data.step);
      Object.assign(step, { status: 'passed', inputs: event.data.inputs, outputs: event.data.outputs, adoptedFrom: event.data.from });
      if (event.data.evidence) keepEvidence(state, event.data.evidence);
      if (event.data.protects) state.protects = event.data.protects;
      if (event.data.proven) state.proven = event.data.proven;
      for (const [path, digest] of Object.entries(event.data.outputs)) {
        const first = event.data.first?.[path];
        state.files[path] = {
          first: first === undefined ? digest : first,
          written: event.data.written?.[path] ?? digest,
          accepted: digest,
          step: event.data.step,
        };
      }
      return;
    }
    case 'evidence-recorded':
      keepEvidence(state, event.data.evidence);
      return;
    case 'stage-skipped':
      Object.assign(stepOf(state, event.data.step), { status: 'skipped', reason: event.data.reason });
      return;
    case 'stage-reopened': {
      const step = stepOf(state, event.data.step);
      if (step.status !== 'running') step.status = 'open';
      step.reason = event.data.reason;
      // What a verification has shown does not hold for what is made anew.
      if (event.data.step === 'verify') state.proven = [];
      if (event.data.failure) step.sentBack = event.data.failure;
      return;
    }
    case 'artifact-edited':
      return acceptEdit(state, event.data);
    case 'commit-start':
      state.commitStart = event.data;
      state.branch = event.data.branch;
      return;
    default:
      return;
  }
}

function startCall(state: RunState, data: EventData['tool-start']): void {
  const { tool, kind, write, output } = data;
  if (write) recordFiles(state, data.step, [write]);
  const turn = turnOf(state, data);
  if (!turn) return;
  turn.calls[data.call] = { tool, kind, ended: false, error: false, accepted: false, ...(write && { write }), ...(output && { output }) };
}

function endCall(state: RunState, data: EventData['tool-end']): void {
  const { tool, kind, output, error, accepted = false, failure, final } = data;
  const turn = turnOf(state, data);
  const why = { ...(failure !== undefined && { failure }), ...(final !== undefined && { final }) };
  if (turn) turn.calls[data.call] = { ...turn.calls[data.call], tool, kind, output, error, accepted, ended: true, ...why };
  if (data.changed) {
    recordFiles(state, data.step, data.changed);
    // They are in place already: a command made them.
    state.unsettled = [];
  }
}

function recordFiles(state: RunState, step: string, files: FileChange[]): void {
  for (const { path, before, after } of files) {
    const known = state.files[path];
    state.files[path] = { first: known ? known.first : before, written: after, accepted: after, step: known?.step ?? step };
  }
  state.unsettled = files;
  state.unsettledStep = step;
}

function endStage(state: RunState, data: EventData['stage-end'], time: string): void {
  const step = stepOf(state, data.step);
  close(summaryOf(step, data.attempt), 'passed', time);
  if (step.active?.recipe) step.recipe = step.active.recipe;
  Object.assign(step, { status: 'passed', inputs: data.inputs, outputs: data.outputs, pauseHeld: false });
  delete step.active;
  delete step.reason;
  delete step.sentBack;
  delete step.adoptedFrom;
  if (data.note !== undefined) step.note = data.note;
  if (data.evidence) keepEvidence(state, data.evidence);
  if (data.protects) state.protects = data.protects;
  if (data.proven) state.proven = data.proven;
  if (data.commit !== undefined) state.commitId = data.commit;
  if (data.branch !== undefined) state.branch = data.branch;
}

function keepEvidence(state: RunState, evidence: EventData['stage-end']['evidence'] & object): void {
  state.evidence = evidence;
  for (const item of evidence) if (isProof(item.red)) state.seenRed[item.test] = item;
}

function acceptEdit(state: RunState, data: EventData['artifact-edited']): void {
  const file = state.files[data.path];
  if (file) file.accepted = data.to;
  else state.files[data.path] = { first: data.from, written: data.from, accepted: data.to, step: '' };
  if (data.path in state.protects) {
    // Evidence is of the text that was seen red; where it was seen again, that has been recorded before.
    for (const item of state.evidence) {
      const hasCode = (state.steps['implement']?.attempts.length ?? 0) > 0;
      if (item.file === data.path && hasCode && isProof(item.red)) item.red = 'edited';
    }
    if (data.to === null) delete state.protects[data.path];
    else state.protects[data.path] = data.to;
  }
  state.unsettled = state.unsettled.filter((change) => change.path !== data.path);
}
