import { readFile, readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { UsageError } from '../errors.ts';
import type { Tool } from '../model/tool.ts';
import { KIND_NAMES, type KindName } from '../model/artifact.ts';
import { documentKinds } from '../artifacts/kinds.ts';
import { renderDocument } from '../artifacts/render.ts';
import { loadConfig } from '../config/load.ts';
import { checkLibrary } from '../roles/check-overrides.ts';
import { openLibrary } from '../roles/library.ts';
import { loadRole, type Role } from '../roles/role.ts';
import { compileTemplate } from '../text/template.ts';
import { didYouMean } from '../text/did-you-mean.ts';
import type { Stack } from '../workspace/stack.ts';
import type { Project } from './context.ts';
import { stepsOf } from './steps.ts';
import { toolDescriptions } from './tool-list.ts';

/**
 * Finds the nearest folder upwards that holds `.blueprint`.
 * @throws UsageError when there is none.
 */
export async function findRoot(cwd: string): Promise<string> {
  for (let folder = cwd; ; folder = dirname(folder)) {
    const found = await stat(join(folder, '.blueprint')).catch(() => undefined);
    if (found?.isDirectory()) return folder;
    if (dirname(folder) === folder) break;
  }
  throw new UsageError(`There is no .blueprint folder in ${cwd} or above it.`, { hint: 'Make one in the project with: blueprint init' });
}

/** Loads configuration, roles and templates, and tries every override before anything runs. */
export async function loadProject({
  root,
  packageRoot,
  tools,
  stack,
}: {
  root: string;
  packageRoot: string;
  tools: Tool[];
  stack: Stack;
}): Promise<{ project: Project; warnings: string[] }> {
  const text = await readOptional(join(root, '.blueprint', 'config.yaml'));
  const { config, warnings } = loadConfig({ text, file: '.blueprint/config.yaml' });
  const steps = stepsOf(config.stages);
  const library = openLibrary({ projectRoot: root, packageRoot, read: readOptional });
  const roles = new Map<string, Role>();
  const toolNames = tools.map(({ name }) => name);
  for (const step of steps) {
    if (step.type === 'stage' && !roles.has(step.role)) roles.set(step.role, await loadRole(step.role, library, toolNames));
  }
  const stages = steps.filter((step) => step.type === 'stage').map(({ name, role, kind }) => ({ name, role, kind }));
  await checkLibrary({ library, stages, roles, tools: toolDescriptions(tools), tryArtifact, kinds: KIND_NAMES });
  return { project: { root, config, steps, library, roles, facts: factsOf(stack) }, warnings };
}

/**
 * Slugs of the features that have a folder.
 */
export async function listFeatureFolders(root: string): Promise<string[]> {
  const entries = await readdir(join(root, '.blueprint', 'features'), { withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .toSorted();
}

export function unknownFeature(slug: string, known: string[]): UsageError {
  const near = didYouMean(slug, known);
  const hint = near === undefined ? `Begin it with: blueprint feature ${slug} --brief "…"` : `Did you mean ${near}?`;
  return new UsageError(`There is no feature ${JSON.stringify(slug)} in this project.`, { hint });
}

/** Renders the kind's sample with a template and reads it back: an override that loses a field is refused. */
function tryArtifact(kind: KindName, source: string, file: string): void {
  const template = compileTemplate(source, { name: file });
  renderDocument({
    kind: documentKinds[kind] as never,
    data: documentKinds[kind].sample as never,
    frontMatter: { feature: 'sample', stage: 'sample' },
    template,
  });
}

function factsOf(stack: Stack): string[] {
  const facts: string[] = [];
  if (stack.language) facts.push(`Language: ${stack.language}.`);
  if (stack.packageManager) facts.push(`Package manager: ${stack.packageManager.name}.`);
  if (stack.runner) facts.push(`Test runner: ${stack.runner.name}.`);
  for (const { name } of stack.commands) facts.push(`Verification command: ${name}.`);
  return facts;
}

async function readOptional(path: string): Promise<string | undefined> {
  return readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
    throw error;
  });
}
