import { UsageError } from '../errors.ts';
import type { ContextPart, StageContext } from '../model/api.ts';
import type { Prompt } from '../model/engine.ts';
import type { RunState } from '../model/state.ts';
import { initialState } from '../journal/fold.ts';
import { estimateTokens } from '../text/tokens.ts';
import { composeFor } from './attempt.ts';
import { currentDigest, type RunContext } from './context.ts';
import { findingsOfArtifact } from './inspect.ts';
import { openForReading, type FindEngine } from './inspect-feature.ts';
import { differencesOf, inputDigests, kindOfFile } from './inputs.ts';
import type { RunPorts } from './run-ports.ts';
import { resolveStep, type StageDefinition, type StepDefinition } from './steps.ts';

/**
 * Reads what a stage would be told if it were started now; writes nothing and needs neither a lock nor an engine; of one
 * that is there only the window counts.
 * @throws UsageError for a stage that is missing, unknown or played by no role.
 */
export async function inspectContext({
  feature,
  stage: word,
  ports,
  findEngine,
}: {
  feature: string;
  stage: string | undefined;
  ports: RunPorts;
  findEngine: FindEngine;
}): Promise<StageContext> {
  const { context: found, warnings } = await openForReading({ feature, ports, findEngine });
  const stage = resolveStage(word, found.project.steps);
  const context = await asItWouldStart(found, stage);
  const digests = await inputDigests(context, stage);
  const active = context.state.steps[stage.name]?.active;
  const changed = active ? differencesOf(active.inputs, digests) : [];
  const isOpen = active?.prompt !== undefined && changed.length === 0;
  const { prompt, leftOut } = isOpen
    ? { prompt: await recordedPrompt(context, active.prompt ?? ''), leftOut: active.leftOut ?? [] }
    : await composeFor(context, stage);
  const parts = partsOf(prompt, roleName(context, stage));
  const latest = context.state.steps[stage.name]?.attempts.at(-1)?.attempt ?? 0;
  return {
    feature,
    stage: stage.name,
    attempt: isOpen ? active.attempt : latest + 1,
    isOpen,
    parts,
    leftOut,
    inputs: Object.keys(digests).filter((name) => !name.includes('#')),
    total: { characters: sum(parts, 'characters'), tokens: sum(parts, 'tokens') },
    warnings,
    ...(active && !isOpen && { superseded: changed.join('; ') }),
  };
}

function resolveStage(word: string | undefined, steps: readonly StepDefinition[]): StageDefinition {
  const hint = `Stages: ${steps.flatMap(({ type, name }) => (type === 'stage' ? [name] : [])).join(', ')}.`;
  if (word === undefined) throw new UsageError('Missing --stage, expected the stage whose context to show.', { hint });
  const step = resolveStep(word, steps, 'from');
  if (step.type === 'stage') return step;
  throw new UsageError(`Unexpected --stage ${word}: ${step.name} is a program step, so nobody is told anything.`, { hint });
}

/**
 * The feature as it would be when the stage starts. An ended run is followed by a new one, which takes over the files of
 * what has passed and none of the attempts; a person's edits are accepted before any stage.
 */
async function asItWouldStart(context: RunContext, stage: StageDefinition): Promise<RunContext> {
  const state = stateToStartFrom(context.state);
  const unsettled = new Set(state.unsettled.map(({ path }) => path));
  for (const [path, file] of Object.entries(state.files)) {
    const isOfStage = path.startsWith(`${context.folder}/`) && kindOfFile(path.slice(path.lastIndexOf('/') + 1))?.stage === stage.name;
    if (!isOfStage || unsettled.has(path)) continue;
    const current = await currentDigest(context, path);
    if (current !== file.accepted && (await findingsOfArtifact(context, path)).length === 0) file.accepted = current;
  }
  return { ...context, state };
}

function stateToStartFrom(state: RunState): RunState {
  // What an aborted run has left is taken over from the files, so nothing in it counts as edited.
  if (state.status === 'aborted') return initialState();
  const copy = structuredClone(state);
  if (state.status !== 'completed') return copy;
  const files = Object.entries(copy.files).filter(([, { step }]) => (copy.steps[step]?.status ?? 'passed') === 'passed');
  return { ...initialState(), files: Object.fromEntries(files), protects: copy.protects };
}

async function recordedPrompt({ journal }: RunContext, digest: string): Promise<Prompt> {
  return JSON.parse(new TextDecoder().decode(await journal.getBlob(digest))) as Prompt;
}

function roleName({ project }: RunContext, { role }: StageDefinition): string {
  const persona = project.roles.get(role)?.persona;
  return persona === undefined ? `role ${role}` : `role ${role}, ${persona}`;
}

/** The parts of a prompt in the order in which a model is sent them. */
function partsOf({ tools, system, task }: Prompt, role: string): ContextPart[] {
  return [
    partOf('tools', JSON.stringify(tools)),
    ...system.map((text, index) => partOf(`system ${index + 1}: ${index === 0 ? 'shared by all roles' : role}`, text)),
    partOf('task', task),
  ];
}

function partOf(name: string, text: string): ContextPart {
  return { name, characters: text.length, tokens: estimateTokens(text), text };
}

function sum(parts: ContextPart[], key: 'characters' | 'tokens'): number {
  return parts.reduce((total, part) => total + part[key], 0);
}
