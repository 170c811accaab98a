import type { Digests } from '../model/event.ts';
import type { RunState } from '../model/state.ts';
import { getBlob } from '../journal/journal.ts';
import { documentKinds } from '../artifacts/kinds.ts';
import { DERIVED_FROM } from '../text/digest.ts';
import { splitFrontMatter } from '../text/front-matter.ts';
import { currentDigest, note, readText, record, type RunContext } from './context.ts';
import { criteriaOnDisk, coverageFindings, testSpecOnDisk } from './criteria.ts';
import { differencesOf, inputDigests, kindOfFile, listFeatureFiles } from './inputs.ts';
import { judgeGreen } from './prove.ts';
import { judgeRed } from './red-evidence.ts';
import { runTests } from './tests-first.ts';
import type { StageDefinition } from './steps.ts';

/** Carries what an ended run has passed into a new one: what is still fresh is then skipped, the rest is made again. */
export async function carryOver(context: RunContext, parent: RunState, parentFolder: string): Promise<void> {
  const names = new Set(context.project.steps.map(({ name }) => name));
  for (const step of context.project.steps) {
    const known = parent.steps[step.name];
    if (step.name === 'commit' || !known || context.state.steps[step.name]) continue;
    if (known.status === 'skipped')
      await record(context, { type: 'stage-skipped', data: { step: step.name, reason: known.reason ?? 'skipped in the run before' } });
    if (known.status !== 'passed') continue;
    const outputs: Digests = {};
    const first: Record<string, string | null> = {};
    const written: Record<string, string | null> = {};
    for (const [path, file] of Object.entries(parent.files)) {
      const isOfStep = file.step === step.name || (step.name === 'spec' && !names.has(file.step));
      if (!isOfStep || file.accepted === null) continue;
      outputs[path] = file.accepted;
      written[path] = file.written;
      // Files of a run that ended without a commit are still to be committed.
      if (parent.commitId === undefined) first[path] = file.first;
      await copyBlobs(context, parentFolder, [file.accepted, file.written, file.first]);
    }
    await record(context, {
      type: 'stage-adopted',
      data: {
        step: step.name,
        inputs: known.inputs,
        outputs,
        first,
        written,
        from: parent.run,
        ...(step.name === 'tests' && { evidence: parent.evidence, protects: parent.protects }),
        ...(step.name === 'verify' && { proven: parent.proven }),
      },
    });
  }
}

async function copyBlobs(context: RunContext, folder: string, digests: (string | null)[]): Promise<void> {
  for (const digest of digests) {
    if (digest === null || !digest.startsWith('sha256:')) continue;
    const bytes = await getBlob(folder, digest).catch(() => undefined);
    if (bytes) await context.journal.putBlob(bytes);
  }
}

/**
 * Without a journal (a fresh clone) artifacts that parse and are fresh are taken over; tests and implementation only on
 * the evidence of a test run of our own. Stops at the first stage that cannot be adopted.
 */
export async function adoptFromFiles(context: RunContext): Promise<void> {
  for (const step of context.project.steps) {
    if (step.type !== 'stage') return;
    if (context.state.steps[step.name]) continue;
    const outputs = await outputsOnDisk(context, step);
    const hasAdopted =
      outputs !== undefined &&
      (step.name === 'tests'
        ? await adoptTests(context, step, outputs)
        : step.name === 'implement'
          ? await adoptCode(context, step, outputs)
          : await adopt(context, step, outputs));
    if (!hasAdopted) return;
    note(context, `${step.name} was adopted from the files in ${context.folder}: they parse and are fresh.`);
  }
}

async function adopt(
  context: RunContext,
  step: StageDefinition,
  outputs: Digests,
  extra: { evidence?: RunState['evidence']; protects?: Digests } = {},
): Promise<boolean> {
  const inputs = await inputDigests(context, step);
  await record(context, { type: 'stage-adopted', data: { step: step.name, inputs, outputs, from: 'files', ...extra } });
  return true;
}

/** Digests of a stage's artifacts when all of them parse and are derived from what is there now; else undefined. */
async function outputsOnDisk(context: RunContext, step: StageDefinition): Promise<Digests | undefined> {
  const outputs: Digests = {};
  const inputs = await inputDigests(context, step);
  let hasMain = false;
  for (const name of await listFeatureFiles(context)) {
    const found = kindOfFile(name);
    if (found?.stage !== step.name) continue;
    const path = `${context.folder}/${name}`;
    const text = (await readText(context, path)) ?? '';
    const split = splitFrontMatter(text);
    if (!documentKinds[found.kind].parse(text).ok || !split.ok) return undefined;
    const derivedFrom = (split.data[DERIVED_FROM] ?? {}) as Digests;
    // Protected tests are no part of the file's own record on a fresh clone: they are judged by running them.
    const relevant = Object.fromEntries(
      Object.entries(inputs).filter(([key]) => key in derivedFrom || !(key in context.state.protects || key.includes('#'))),
    );
    if (differencesOf(derivedFrom, relevant).length > 0) return undefined;
    outputs[path] = (await currentDigest(context, path)) ?? '';
    if (found.kind === step.kind) hasMain = true;
  }
  return hasMain ? outputs : undefined;
}

async function adoptTests(context: RunContext, step: StageDefinition, outputs: Digests): Promise<boolean> {
  const spec = await testSpecOnDisk(context);
  if (!spec || coverageFindings(spec, await criteriaOnDisk(context)).length > 0) return false;
  const files = [...new Set(spec.tests.map(({ file }) => file))];
  const protects: Digests = {};
  for (const path of files) {
    const digest = await currentDigest(context, path);
    if (digest === null) return false;
    protects[path] = await context.journal.putBlob((await context.files.read(`${context.project.root}/${path}`)) ?? new Uint8Array());
  }
  const run = await runTests(context, { step: step.name, attempt: 0, purpose: 'red', files });
  const { evidence, findings } = await judgeRed(context, spec, run, { mayBeGreen: true });
  if (findings.length > 0) return false;
  return adopt(context, step, { ...outputs, ...protects }, { evidence, protects });
}

async function adoptCode(context: RunContext, step: StageDefinition, outputs: Digests): Promise<boolean> {
  const spec = await testSpecOnDisk(context);
  if (!spec) return false;
  const run = await runTests(context, { step: step.name, attempt: 0, purpose: 'green', files: Object.keys(context.state.protects) });
  return judgeGreen(spec, run).findings.length === 0 && (await adopt(context, step, outputs));
}
