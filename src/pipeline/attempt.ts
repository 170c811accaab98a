import type { Digests, Recipe } from '../model/event.ts';
import type { Engine, Prompt, ToolDescription } from '../model/engine.ts';
import { estimateTokens } from '../text/tokens.ts';
import type { Failure } from '../model/failure.ts';
import { InternalError } from '../errors.ts';
import { criteriaOf } from '../artifacts/criteria.ts';
import { composePrompt } from '../roles/prompt.ts';
import { submissionKinds } from '../artifacts/kinds.ts';
import { modelOf, noEngine } from './engine-choice.ts';
import { readText, record, type RunContext } from './context.ts';
import { differencesOf, inputDigests, inputsOf, kindOfFile } from './inputs.ts';
import { restoreTests } from './tests-first.ts';
import { toolDescriptions } from './tool-list.ts';
import type { StageDefinition } from './steps.ts';

export interface Attempt {
  attempt: number;
  inputs: Digests;
  prompt: Prompt;
}

/**
 * Goes on with an attempt that was cut off when its inputs, engine and model are the same (stored prompt, recorded
 * turns); otherwise ends it as superseded and begins the next.
 */
export async function startAttempt(context: RunContext, stage: StageDefinition): Promise<Attempt> {
  const { engine, state, journal } = context;
  if (!engine) throw noEngine();
  const inputs = await inputDigests(context, stage);
  const active = state.steps[stage.name]?.active;
  if (active) {
    const reason = whySuperseded(active, { inputs, engine: engine.name, model: modelOf(context, stage) });
    if (reason === undefined && engine.kind === 'provider' && active.prompt !== undefined) {
      return {
        attempt: active.attempt,
        inputs,
        prompt: JSON.parse(new TextDecoder().decode(await journal.getBlob(active.prompt))) as Prompt,
      };
    }
    if (stage.kind === 'test-spec') await restoreTests(context, { step: stage.name, attempt: active.attempt });
    const outcome = reason === undefined ? 'interrupted' : 'superseded';
    await record(context, {
      type: 'attempt-end',
      data: { step: stage.name, attempt: active.attempt, outcome, reason: reason ?? 'the program was stopped' },
    });
  }
  return beginAttempt(context, stage, inputs, { name: engine.name, model: modelOf(context, stage) });
}

async function beginAttempt(
  context: RunContext,
  stage: StageDefinition,
  inputs: Digests,
  engine: { name: string; model: string | undefined },
): Promise<Attempt> {
  const attempt = (context.state.steps[stage.name]?.attempts.at(-1)?.attempt ?? 0) + 1;
  const { prompt, leftOut, recipe } = await composeFor(context, stage);
  const blob = await context.journal.putBlob(JSON.stringify(prompt));
  await record(context, {
    type: 'attempt-start',
    data: {
      step: stage.name,
      attempt,
      inputs,
      engine: engine.name,
      prompt: blob,
      recipe,
      ...(engine.model !== undefined && { model: engine.model }),
      ...(leftOut.length > 0 && { leftOut }),
    },
  });
  return { attempt, inputs, prompt };
}

/** Composes what a stage would be told now. */
export async function composeFor(
  context: RunContext,
  stage: StageDefinition,
): Promise<{ prompt: Prompt; leftOut: string[]; recipe: Recipe }> {
  const { project } = context;
  const role = project.roles.get(stage.role);
  if (!role) throw new InternalError(`Role ${stage.role} of stage ${stage.name} was not loaded.`);
  const previousFailure = lastFailure(context, stage.name);
  const tools = toolDescriptions(context.tools);
  const composed = await composePrompt({
    library: project.library,
    role,
    stage: stage.name,
    feature: context.feature,
    submitTool: submissionKinds[stage.kind].tool,
    tools,
    project: { facts: project.facts },
    inputs: await inputsOf(context, stage),
    budget: project.config.contextTokens ?? contextBudget(context.engine, tools),
    artifactTemplateDigest: (await project.library.artifactTemplate(stage.kind)).digest,
    version: context.version,
    edited: await editedArtifacts(context, stage),
    ...(previousFailure && { previousFailure }),
  });
  const { system, task } = composed.prompt;
  // What a file of the project holds may be a key; what is stored and sent does not.
  const prompt = { system: system.map((text) => context.redact(text)), task: context.redact(task), tools };
  return { ...composed, prompt };
}

/** Most tokens of inputs unless the configuration says otherwise. */
const CONTEXT_TOKENS = 50_000;
/** Share of a window that is left to the conversation. */
const CONVERSATION = 0.5;

/** Tokens for the inputs of a stage: fewer where the model's window is small, so that there is room to work in. */
function contextBudget(engine: Engine | undefined, tools: ToolDescription[]): number {
  const window = engine?.kind === 'provider' ? engine.window : undefined;
  if (!window) return CONTEXT_TOKENS;
  const room = window.total - window.reply - estimateTokens(JSON.stringify(tools));
  return Math.max(1, Math.min(CONTEXT_TOKENS, Math.floor(room * (1 - CONVERSATION))));
}

function lastFailure({ state }: RunContext, step: string): Failure | undefined {
  const known = state.steps[step];
  const latest = known?.attempts.findLast(({ outcome }) => outcome !== 'superseded' && outcome !== 'interrupted');
  return latest?.outcome === 'failed' ? latest.failure : known?.sentBack;
}

/** Artifacts of this stage that a person has changed: the role sees their words and which ids they touched. */
async function editedArtifacts(context: RunContext, stage: StageDefinition): Promise<{ file: string; changed: string[]; text: string }[]> {
  const edited: { file: string; changed: string[]; text: string }[] = [];
  for (const [path, { written, accepted }] of Object.entries(context.state.files)) {
    const name = path.slice(path.lastIndexOf('/') + 1);
    if (!path.startsWith(`${context.folder}/`) || kindOfFile(name)?.stage !== stage.name || written === accepted) continue;
    const text = await readText(context, path);
    if (text === undefined) continue;
    const before = written === null ? '' : new TextDecoder().decode(await context.journal.getBlob(written));
    edited.push({ file: name, changed: changedCriteria(before, text), text });
  }
  return edited;
}

function changedCriteria(before: string, after: string): string[] {
  const digests = (text: string): Digests => Object.fromEntries(criteriaOf(text).map(({ id, digest }) => [id, digest]));
  return differencesOf(digests(before), digests(after)).map((reason) => reason.split(' ')[0] ?? reason);
}

function whySuperseded(
  then: { inputs: Digests; engine?: string; model?: string },
  now: { inputs: Digests; engine: string; model: string | undefined },
): string | undefined {
  const changed = differencesOf(then.inputs, now.inputs);
  if (changed.length > 0) return changed.join('; ');
  if (then.engine !== now.engine) return `the engine is ${now.engine}, it was ${then.engine ?? 'another'}`;
  if (then.model !== now.model) return `the model is ${now.model ?? 'unnamed'}, it was ${then.model ?? 'unnamed'}`;
  return undefined;
}
