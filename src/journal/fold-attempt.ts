import { addUsage, LONG_PROMPT, NO_USAGE, type Usage } from '../model/engine.ts';
import type { EventData } from '../model/event.ts';
import type { ActiveAttempt, AttemptSummary, RunState, StepState, TurnState } from '../model/state.ts';

export function stepOf(state: RunState, name: string): StepState {
  return (state.steps[name] ??= { status: 'open', attempts: [], inputs: {}, outputs: {}, pauseHeld: false });
}

export function startAttempt(state: RunState, data: EventData['attempt-start'], time: string): void {
  const step = stepOf(state, data.step);
  const { attempt, inputs, engine, model, recipe, prompt, leftOut } = data;
  const active: ActiveAttempt = { attempt, inputs, turns: [], placed: {} };
  if (engine !== undefined) active.engine = engine;
  if (model !== undefined) active.model = model;
  if (recipe !== undefined) active.recipe = recipe;
  if (prompt !== undefined) active.prompt = prompt;
  if (leftOut !== undefined) active.leftOut = leftOut;
  step.status = 'running';
  step.active = active;
  step.attempts.push({
    attempt,
    outcome: 'running',
    usage: { ...NO_USAGE },
    long: { ...NO_USAGE },
    unmetered: 0,
    ...(engine !== undefined && { engine }),
    ...(model !== undefined && { model }),
    turns: 0,
    startedAt: time,
    inputs,
  });
}

export function endTurn(state: RunState, data: EventData['turn-end']): void {
  const step = stepOf(state, data.step);
  const summary = summaryOf(step, data.attempt);
  if (summary) {
    summary.turns += 1;
    const { usage } = data;
    // What was refused as too large has not been worked on.
    if (data.stop !== 'context-overflow' && Object.values(usage).every((count) => count === 0)) summary.unmetered += 1;
    addToSummary(summary, usage);
  }
  if (step.active?.attempt === data.attempt) step.active.turns[data.turn - 1] = { reply: data.reply, stop: data.stop, calls: {} };
}

/** Costs what it costs, but is no turn. */
export function addLost(state: RunState, { step, attempt, usage }: EventData['turn-lost']): void {
  const summary = summaryOf(stepOf(state, step), attempt);
  if (summary) addToSummary(summary, usage);
}

function addToSummary(summary: AttemptSummary, usage: Usage): void {
  addUsage(summary.usage, usage);
  if (usage.input + usage.cacheRead + usage.cacheWrite > LONG_PROMPT) addUsage(summary.long, usage);
}

export function endAttempt(state: RunState, data: EventData['attempt-end'], time: string): void {
  const step = stepOf(state, data.step);
  close(summaryOf(step, data.attempt), data.outcome, time);
  const summary = summaryOf(step, data.attempt);
  if (summary && data.failure) summary.failure = data.failure;
  if (step.active?.attempt === data.attempt) delete step.active;
  if (step.status === 'running') step.status = 'open';
}

export function rememberPlaced(state: RunState, { step, attempt, files }: EventData['files-recorded']): void {
  const active = state.steps[step]?.active;
  if (active?.attempt !== attempt) return;
  for (const { path, before } of files) active.placed[path] ??= before;
}

export function summaryOf(step: StepState, attempt: number): AttemptSummary | undefined {
  return step.attempts.findLast((summary) => summary.attempt === attempt);
}

export function turnOf(state: RunState, at: { step: string; attempt: number; turn: number }): TurnState | undefined {
  const active = stepOf(state, at.step).active;
  return active?.attempt === at.attempt ? active.turns[at.turn - 1] : undefined;
}

export function close(summary: AttemptSummary | undefined, outcome: AttemptSummary['outcome'], time: string): void {
  if (summary) Object.assign(summary, { outcome, endedAt: time });
}
