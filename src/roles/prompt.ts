import type { Prompt, ToolDescription } from '../model/engine.ts';
import type { Recipe } from '../model/event.ts';
import type { Failure } from '../model/failure.ts';
import { bytesDigest } from '../text/digest.ts';
import { wellFormed } from '../text/lines.ts';
import { compileTemplate, type Template } from '../text/template.ts';
import { estimateTokens } from '../text/tokens.ts';
import { curateContext, type ContextInput } from './context.ts';
import type { Library, SourceFile } from './library.ts';
import type { Role } from './role.ts';
import { describeFailure, describeText } from './task-data.ts';

export interface PromptRequest {
  library: Library;
  role: Role;
  stage: string;
  feature: string;
  submitTool: string;
  tools: ToolDescription[];
  project: { facts: string[] };
  inputs: ContextInput[];
  /** Tokens for the context. What a person has edited is always given, and taken from it. */
  budget: number;
  artifactTemplateDigest: string;
  version: string;
  previousFailure?: Failure;
  /** Artifacts of this stage that a person has changed. */
  edited?: { file: string; changed: string[]; text: string }[];
}

/**
 * Composes what a stage is told. `system[0]` is the same in the same bytes for every role, so that a cache can keep it;
 * then comes the role, then the task with its context. The same request gives the same bytes.
 * @throws UsageError at `file:line:column` for a fault in a template.
 */
export async function composePrompt(request: PromptRequest): Promise<{ prompt: Prompt; leftOut: string[]; recipe: Recipe }> {
  const { library, role, stage, feature, submitTool, tools, project, previousFailure, edited = [] } = request;
  const sources = await loadSources(library, stage);
  const budget = edited.reduce((left, { text }) => left - estimateTokens(text), request.budget);
  const { kept, leftOut } = curateContext(request.inputs, { order: role.reads, budget });
  const shared = compileTemplate(sources.shared.text, {
    name: sources.shared.file,
    partials: { guardrails: compilePart(sources.guardrails) },
  });
  const task = compileTemplate(sources.task.text, { name: sources.task.file, partials: { context: compilePart(sources.context) } });
  const prompt: Prompt = {
    system: [shared.render({ facts: project.facts }), role.body.render({ feature, stage, submitTool, persona: role.persona })].map(clean),
    task: clean(
      task.render({
        feature,
        stage,
        submitTool,
        leftOut,
        inputs: kept.map(({ name, text }) => ({ name, ...describeText(text) })),
        edited: edited.map(({ file, changed, text }) => ({ file, changed, ...describeText(text) })),
        failure: previousFailure ? describeFailure(previousFailure) : null,
      }),
    ),
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

/** What can be stored and sent as it is. */
function clean(text: string): string {
  return wellFormed(text).trim();
}

function compilePart({ text, file }: SourceFile): Template {
  return compileTemplate(text, { name: file });
}
