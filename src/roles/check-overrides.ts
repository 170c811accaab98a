import { BlueprintError, InternalError, UsageError } from '../errors.ts';
import type { KindName } from '../model/artifact.ts';
import type { ToolDescription } from '../model/engine.ts';
import type { Library } from './library.ts';
import { composePrompt, type PromptRequest } from './prompt.ts';
import type { Role } from './role.ts';

export interface LibraryCheck {
  library: Library;
  stages: readonly { name: string; role: string; kind: KindName }[];
  /** By name; each stage's role must be among them. */
  roles: ReadonlyMap<string, Role>;
  tools: ToolDescription[];
  /** Kinds whose templates are tried. */
  kinds: readonly KindName[];
  /** Renders the sample of a kind with a template and reads it back; throws when that fails or loses something. */
  tryArtifact(kind: KindName, templateSource: string, file: string): void;
}

/**
 * Tries everything that a project can override, before anything runs: every prompt is composed for a first attempt and
 * for one after a failure and an edit, and every artifact template of the project's own renders its
 * sample (this package's own tests try the shipped ones).
 *
 * @throws UsageError with `place` `file:line:column` for the first fault.
 */
export async function checkLibrary(check: LibraryCheck): Promise<void> {
  const { library, stages, roles, tools, kinds } = check;
  for (const kind of kinds) {
    const { text, file, overridden } = await library.artifactTemplate(kind);
    if (overridden) await atAPlace(file, () => check.tryArtifact(kind, text, file));
  }
  for (const { name, role: roleName, kind } of stages) {
    const role = roles.get(roleName);
    if (!role) throw new InternalError(`Role ${roleName} of stage ${name} was not loaded.`);
    for (const sample of [FIRST_ATTEMPT, LATER_ATTEMPT]) {
      const request = { ...sample, library, role, stage: name, submitTool: `submit_${kind.replaceAll('-', '_')}`, tools };
      await atAPlace(role.file, () => composePrompt(request));
    }
  }
}

type Sample = Omit<PromptRequest, 'library' | 'role' | 'stage' | 'submitTool' | 'tools'>;

const FIRST_ATTEMPT: Sample = {
  feature: 'sample',
  project: { facts: [] },
  inputs: [],
  budget: 1000,
  artifactTemplateDigest: '',
  version: '',
};

/** Whatever a template can be given, given. */
const LATER_ATTEMPT: Sample = {
  ...FIRST_ATTEMPT,
  project: { facts: ['Language: TypeScript.'] },
  inputs: [
    { name: 'brief.md', kind: 'brief', text: 'As a customer I want to log in.\n' },
    { name: 'too-long.md', kind: 'report', text: 'x'.repeat(3000) },
  ],
  previousFailure: {
    kind: 'invalid-submission',
    message: 'The submission was not accepted: 1 finding.',
    findings: [{ rule: 'schema', severity: 'error', message: 'Unexpected gap, expected text.', field: 'intent', hint: 'Say why.' }],
  },
  edited: [{ file: 'story-sample.md', changed: ['AC-1'], text: '# Story: Sample\n' }],
};

/** A fault of a file as a whole is told at its start. */
async function atAPlace(file: string, act: () => unknown): Promise<void> {
  try {
    await act();
  } catch (error) {
    if (!(error instanceof BlueprintError) || /:\d+:\d+$/.test(error.place ?? '')) throw error;
    const { message, hint, place = file } = error;
    const full = /:\d+$/.test(place) ? `${place}:1` : `${place}:1:1`;
    throw new UsageError(message, { place: full, cause: error, ...(hint !== undefined && { hint }) });
  }
}
