import { join } from 'node:path';
import { UsageError } from '../errors.ts';
import type { KindName } from '../model/artifact.ts';
import { bytesDigest } from '../text/digest.ts';

/** A role or template file, from the package or from the project. */
export interface SourceFile {
  text: string;
  /** As it is shown: from the project root for an override. */
  file: string;
  digest: string;
  overridden: boolean;
}

/** Where roles and templates are found: a file of the project stands before the shipped one of the same name. */
export interface Library {
  role(name: string): Promise<SourceFile>;
  prompt(stage: string): Promise<SourceFile>;
  artifactTemplate(kind: KindName): Promise<SourceFile>;
}

export interface LibraryOptions {
  projectRoot: string;
  packageRoot: string;
  /** Text of a file by absolute path; undefined when there is none. */
  read(path: string): Promise<string | undefined>;
}

export function openLibrary({ projectRoot, packageRoot, read }: LibraryOptions): Library {
  async function find(overrides: string[], shipped: string[], what: string): Promise<SourceFile> {
    for (const [root, files, overridden] of [[projectRoot, overrides, true], [packageRoot, shipped, false]] as const) {
      for (const file of files) {
        const text = await read(join(root, file));
        if (text !== undefined) return { text, file, overridden, digest: bytesDigest(new TextEncoder().encode(text)) };
      }
    }
    throw new UsageError(`There is no ${what}.`, { hint: `Looked for ${[...overrides, ...shipped].join(', ')}.` });
  }
  return {
    role: (name) => find([`.blueprint/agents/${name}.md`], [`agents/${name}.md`], `role ${JSON.stringify(name)}`),
    prompt: (stage) =>
      find(
        [`.blueprint/templates/prompts/${stage}.md.hbs`, `.blueprint/templates/${stage}.md.hbs`],
        // A stage of the project's own, without a prompt of its own, is told to hand in a report.
        [`templates/prompts/${stage}.md.hbs`, 'templates/prompts/report.md.hbs'],
        `prompt for stage ${JSON.stringify(stage)}`,
      ),
    artifactTemplate: (kind) =>
      find(
        [`.blueprint/templates/artifacts/${kind}.md.hbs`, `.blueprint/templates/${kind}.md.hbs`],
        [`templates/artifacts/${kind}.md.hbs`],
        `template for ${kind}`,
      ),
  };
}
