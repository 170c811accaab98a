import type { Draft, DraftContext, DraftDocument, KindName } from '../model/artifact.ts';
import type { Submission } from '../model/engine.ts';
import type { Finding } from '../model/failure.ts';
import type { Digests } from '../model/event.ts';
import { checkValue } from '../artifacts/findings.ts';
import { documentKinds, submissionKinds } from '../artifacts/kinds.ts';
import { renderDocument } from '../artifacts/render.ts';
import { unfence } from '../text/fence.ts';
import { splitFrontMatter } from '../text/front-matter.ts';
import { compileTemplate } from '../text/template.ts';
import { readText, type RunContext } from './context.ts';
import { kindOfFile, listFeatureFiles } from './inputs.ts';
import type { StageDefinition } from './steps.ts';
import type { Target } from './place.ts';

export type Opened = { ok: true; draft: Draft } | { ok: false; findings: Finding[] };

/** The one door: data or Markdown, both become canonical data and a draft, or findings that name field or line. */
export async function openSubmission(context: RunContext, stage: StageDefinition, submission: Submission): Promise<Opened> {
  if (submission.kind !== stage.kind) {
    return refuse(`Unexpected kind ${JSON.stringify(submission.kind)}, expected ${stage.kind}.`);
  }
  const kind = submissionKinds[stage.kind];
  let input: unknown;
  if ('data' in submission) input = submission.data;
  else {
    const read = readDocuments(submission.markdown, stage.kind);
    if (read.findings.length > 0) return { ok: false, findings: read.findings };
    input = kind.fromDocuments(read.documents, submission.files ?? []);
  }
  const checked = checkValue(kind.schema as never, input);
  if (!checked.ok) return checked;
  return kind.draft(checked.data as never, await draftContext(context, stage));
}

/** Renders a draft's documents for the feature's folder, each read back and compared. */
export async function renderDraft(context: RunContext, stage: StageDefinition, draft: Draft, derivedFrom: Digests): Promise<Target[]> {
  const targets: Target[] = [];
  for (const document of draft.documents) {
    const text = await renderOne(context, stage, document, derivedFrom);
    targets.push({ path: `${context.folder}/${document.fileName}`, bytes: new TextEncoder().encode(text) });
  }
  return targets;
}

async function renderOne(context: RunContext, stage: StageDefinition, document: DraftDocument, derivedFrom: Digests): Promise<string> {
  const source = await context.project.library.artifactTemplate(document.kind);
  const template = compileTemplate(source.text, { name: source.file });
  // A hand-off is a short note: whole files are enough for it, their single criteria would double its length.
  const isNote = document.kind === 'hand-off';
  const sources = isNote ? Object.fromEntries(Object.entries(derivedFrom).filter(([name]) => !name.includes('#'))) : derivedFrom;
  const frontMatter = { feature: context.feature, stage: stage.name, derivedFrom: sources };
  return renderDocument({ kind: documentKinds[document.kind] as never, data: document.data as never, frontMatter, template });
}

/**
 * Documents of this stage as they were when the attempt began: their ids are kept and never used again. What the attempt
 * itself has put in place before a crash does not count, else a resumed submission would be given other ids.
 */
export async function draftContext(context: RunContext, stage: StageDefinition): Promise<DraftContext> {
  const placed = context.state.steps[stage.name]?.active?.placed ?? {};
  const names = new Set([
    ...(await listFeatureFiles(context)),
    ...Object.keys(placed).map((path) => path.slice(path.lastIndexOf('/') + 1)),
  ]);
  const existing: DraftContext['existing'] = {};
  for (const name of names) {
    const found = kindOfFile(name);
    if (found?.stage !== stage.name) continue;
    const text = await textBefore(context, `${context.folder}/${name}`, placed);
    const parsed = text === undefined ? undefined : documentKinds[found.kind].parse(text);
    if (parsed?.ok) existing[name] = { kind: found.kind, data: parsed.data };
  }
  return { feature: context.feature, stage: stage.name, existing };
}

async function textBefore(context: RunContext, path: string, placed: Record<string, string | null>): Promise<string | undefined> {
  const before = placed[path];
  if (before === undefined) return readText(context, path);
  return before === null ? undefined : new TextDecoder().decode(await context.journal.getBlob(before));
}

/** What a harness wrote: an outer fence is dropped, and what no field can take is a finding, never kept as a person's text. */
function readDocuments(markdown: string[], kind: KindName): { documents: { kind: KindName; data: unknown }[]; findings: Finding[] } {
  const documents: { kind: KindName; data: unknown }[] = [];
  const findings: Finding[] = [];
  for (const [index, source] of markdown.entries()) {
    const text = unfence(source);
    const split = splitFrontMatter(text);
    const named = split.ok && split.data['kind'] === 'hand-off' ? 'hand-off' : /^# Hand-off/m.test(text) ? 'hand-off' : kind;
    const parsed = documentKinds[named].parse(text);
    const at = (finding: Finding): Finding => ({
      ...finding,
      field: `markdown[${index}]${finding.field === undefined ? '' : `.${finding.field}`}`,
    });
    findings.push(...parsed.findings.filter(({ severity }) => severity === 'error').map(at));
    findings.push(
      ...parsed.unplaced.map(({ line, text: left }) =>
        at({
          rule: 'unplaced',
          severity: 'error',
          line,
          message: `Unexpected text ${JSON.stringify(left.slice(0, 80))}, expected only what a ${named} holds.`,
        }),
      ),
    );
    if (parsed.ok) documents.push({ kind: named, data: parsed.data });
  }
  return { documents, findings };
}

function refuse(message: string): Opened {
  return { ok: false, findings: [{ rule: 'schema', severity: 'error', message }] };
}
