import { readFileSync } from 'node:fs';
import { documentKinds } from '../../src/artifacts/kinds.ts';
import { renderDocument } from '../../src/artifacts/render.ts';
import { compileTemplate, type Template } from '../../src/text/template.ts';
import type { DocumentKind, KindName } from '../../src/model/artifact.ts';

/** The source of a built-in artifact template. */
export function builtInSource(kind: KindName): string {
  return readFileSync(new URL(`../../templates/artifacts/${kind}.md.hbs`, import.meta.url), 'utf8');
}

const compiled = new Map<KindName, Template>();

/** The built-in template of a kind, compiled once. */
export function builtInTemplate(kind: KindName): Template {
  const template = compiled.get(kind) ?? compileTemplate(builtInSource(kind), { name: `${kind}.md.hbs` });
  compiled.set(kind, template);
  return template;
}

/** Renders data of a kind with its built-in template. */
export function renderBuiltIn(kind: KindName, data: unknown, derivedFrom?: Record<string, string>): string {
  const frontMatter = { feature: 'login', stage: 'stories', ...(derivedFrom ? { derivedFrom } : {}) };
  return renderDocument({ kind: documentKinds[kind] as DocumentKind, data, frontMatter, template: builtInTemplate(kind) });
}
