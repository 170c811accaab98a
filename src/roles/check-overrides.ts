import type { KindName } from '../model/artifact.ts';
import type { ToolDescription } from '../model/engine.ts';
import { composePrompt } from './prompt.ts';
import { READS, type Role } from './role.ts';
import type { Library } from './library.ts';

export interface LibraryCheck {
  library: Library;
  stages: { name: string; role: string; kind: KindName }[];
  roles: ReadonlyMap<string, Role>;
  tools: ToolDescription[];
  kinds: readonly KindName[];
  /** Renders the kind's sample with a template and reads it back; throws when anything is lost. */
  tryArtifact(kind: KindName, source: string, file: string): void;
}

/**
 * Tries everything a project can override on a sample, before a run begins.
 * @throws UsageError with file, line and column of the first fault.
 */
export async function checkLibrary({ library, stages, roles, tools, kinds, tryArtifact }: LibraryCheck): Promise<void> {
  for (const kind of kinds) {
    const { text, file, overridden } = await library.artifactTemplate(kind);
    // The shipped templates are tried by this package's own tests.
    if (overridden) tryArtifact(kind, text, file);
  }
  for (const { name, role: roleName } of stages) {
    const role = roles.get(roleName);
    if (!role) continue;
    const inputs = READS.map((kind) => ({ name: `${kind}.md`, kind, text: 'A sample.' }));
    const failure = { kind: 'guardrail' as const, message: 'A sample.', findings: [{ rule: 'sample', severity: 'error' as const, message: 'A sample.' }] };
    await composePrompt({
      library, role, stage: name, feature: 'sample', submitTool: 'submit_sample', tools, project: { facts: ['A sample.'] }, inputs, budget: 1000,
      artifactTemplateDigest: '', version: '', previousFailure: failure, edited: [{ file: 'sample.md', changed: ['AC-1'], text: 'A sample.' }],
    });
  }
}
