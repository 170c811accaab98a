import type { Prompt, ToolDescription } from '../model/engine.ts';
import type { Recipe } from '../model/event.ts';
import type { Failure } from '../model/failure.ts';
import { bytesDigest } from '../text/digest.ts';
import { compileTemplate, type Template } from '../text/template.ts';
import { curateContext, type ContextInput } from './context.ts';
import type { Library, SourceFile } from './library.ts';
import type { Role } from './role.ts';

export interface PromptRequest {
  library: Library;
  role: Role;
  stage: string;
  feature: string;
  submitTool: string;
  tools: ToolDescription[];
  project: { facts: string[] };
  inputs: ContextInput[];
  /** Tokens for the context. */
  budget: number;
  artifactTemplateDigest: string;
  version: string;
  previousFailure?: Failure;
  /** Artifacts of this stage that a person has changed. */
  edited?: { file: string; changed: string[]; text: string }[];
}

/**
 * Composes what a stage is told. `system[0]` is the same in the same bytes for every role, so that a cache can keep it;
 * then comes the role, then the task with its context.
 */
export async function composePrompt(request: PromptRequest): Promise<{ prompt: Prompt; leftOut: string[]; recipe: Recipe }> {
  const { library, role, stage, feature, submitTool, tools, project, budget, previousFailure, edited = [] } = request;
  const sources = await loadSources(library, stage);
  const { kept, leftOut } = curateContext(request.inputs, { order: role.reads, budget });
  const shared = compileTemplate(sources.shared.text, { name: sources.shared.file, partials: { guardrails: compilePart(sources.guardrails) } });
  const task = compileTemplate(sources.task.text, { name: sources.task.file, partials: { context: compilePart(sources.context) } });
  const failure = previousFailure && { message: previousFailure.message, findings: (previousFailure.findings ?? []).map(findingLine) };
  const prompt: Prompt = {
    system: [shared.render({ facts: project.facts }).trim(), role.body.render({ feature, stage, submitTool, persona: role.persona }).trim()],
    task: task.render({ feature, stage, submitTool, inputs: kept.map(({ name, text }) => ({ name, text })), leftOut, edited, failure: failure ?? null }).trim(),
    tools,
  };
  const recipe: Recipe = {
    version: request.version,
    role: role.digest,
    guardrails: bytesDigest(new TextEncoder().encode(sources.shared.digest + sources.guardrails.digest)),
    prompt: bytesDigest(new TextEncoder().encode(sources.task.digest + sources.context.digest)),
    template: request.artifactTemplateDigest,
    tools: bytesDigest(new TextEncoder().encode(JSON.stringify(tools))),
  };
  return { prompt, leftOut, recipe };
}

async function loadSources(library: Library, stage: string): Promise<Record<'shared' | 'guardrails' | 'task' | 'context', SourceFile>> {
  return {
    shared: await library.prompt('shared'),
    guardrails: await library.role('guardrails'),
    task: await library.prompt(stage),
    context: await library.prompt('context'),
  };
}

function compilePart({ text, file }: SourceFile): Template {
  return compileTemplate(text, { name: file });
}

function findingLine({ file, line, field, message, hint }: NonNullable<Failure['findings']>[number]): string {
  const place = file === undefined ? (field ?? '') : `${file}${line === undefined ? '' : `:${line}`}`;
  return `${place === '' ? '' : `${place}: `}${message}${hint === undefined ? '' : ` (${hint})`}`;
}
