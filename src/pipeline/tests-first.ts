import type { TestSpec } from '../artifacts/test-spec.ts';
import type { Draft } from '../model/artifact.ts';
import type { Digests } from '../model/event.ts';
import type { CriterionEvidence } from '../model/evidence.ts';
import type { Finding } from '../model/failure.ts';
import type { TestRun } from '../model/ports.ts';
import { InternalError } from '../errors.ts';
import { bytesDigest } from '../text/digest.ts';
import { currentDigest, record, type RunContext } from './context.ts';
import { runFileDigests } from './inputs.ts';
import { mayPlace } from './keep-or-take.ts';
import { placeFiles, type Target } from './place.ts';
import { judgeRed } from './red-evidence.ts';

export type RedResult = { ok: true; evidence: CriterionEvidence[]; protects: Digests } | { ok: false; findings: Finding[] };

/**
 * Puts the tester's files in place, runs them and demands that each named test fails for the right reason. When they do
 * not, the files go back to what they were before.
 */
export async function proveRed(
  context: RunContext,
  at: { step: string; attempt: number },
  spec: TestSpec,
  draft: Draft,
): Promise<RedResult> {
  const foreign = await findForeignFiles(context, draft);
  if (foreign.length > 0) return { ok: false, findings: foreign };
  await restoreTests(context, at);
  const targets: Target[] = draft.files.map(({ path, content }) => ({ path, bytes: new TextEncoder().encode(content) }));
  const dropped = Object.keys(context.state.protects).filter((path) => !targets.some((target) => target.path === path));
  const wanted = [...targets, ...dropped.map((path) => ({ path, bytes: null }))];
  const toPlace: Target[] = [];
  for (const target of wanted) if (await mayPlace(context, at.step, target)) toPlace.push(target);
  await placeFiles(context, { ...at, purpose: 'tests' }, toPlace);
  const files = targets.map(({ path }) => path);
  const run = await runTests(context, { ...at, purpose: 'red', files });
  const { evidence, findings } = await judgeRed(context, spec, run);
  if (findings.length > 0) {
    await restoreTests(context, at);
    return { ok: false, findings };
  }
  const protects: Digests = {};
  for (const path of files) protects[path] = (await currentDigest(context, path)) ?? '';
  return { ok: true, evidence, protects };
}

/** Puts back what the tests stage placed and never passed with, where nobody has changed it since. */
export async function restoreTests(context: RunContext, at: { step: string; attempt: number }): Promise<void> {
  const targets: Target[] = [];
  for (const [path, file] of Object.entries(context.state.files)) {
    if (file.step !== at.step || path.startsWith(`${context.folder}/`)) continue;
    const wanted = context.state.protects[path] ?? file.first;
    if (file.accepted === wanted || (await currentDigest(context, path)) !== file.written) continue;
    targets.push({ path, bytes: wanted === null ? null : await context.journal.getBlob(wanted) });
  }
  await placeFiles(context, { ...at, purpose: 'restore' }, targets);
}

/** Runs test files (or, without any, the whole suite) and records the result per test. */
export async function runTests(
  context: RunContext,
  request: { step: string; attempt: number; purpose: 'red' | 'green' | 'verify'; files: string[] },
): Promise<TestRun> {
  if (!context.runner) throw new InternalError('A test run was asked for without a test runner.');
  const { step, attempt, purpose, files } = request;
  context.hooks.emit({ type: 'command-start', step, command: `${context.runner.name} ${files.join(' ')}`.trim() });
  const timeout = context.project.config.limits.commandSeconds * 1000;
  const run = await context.runner.run(files, { signal: context.hooks.signal, timeout });
  const tree = bytesDigest(new TextEncoder().encode(JSON.stringify(await runFileDigests(context))));
  const named = run.tests.filter(({ name }) => name !== '');
  await record(context, {
    type: 'command-end',
    data: {
      step,
      attempt,
      purpose,
      command: run.command,
      exitCode: run.exitCode ?? null,
      timedOut: run.timedOut,
      tree,
      tests: await context.journal.putBlob(JSON.stringify(run.tests)),
      output: await context.journal.putBlob(run.output),
      passed: named.filter(({ status }) => status === 'passed').length,
      failed: run.tests.filter(({ status }) => status === 'failed').length,
    },
  });
  return run;
}

/** A file that is there and was not made by this run belongs to a person. */
async function findForeignFiles(context: RunContext, draft: Draft): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const [index, { path, content }] of draft.files.entries()) {
    const field = `files[${index}].path`;
    if (path.startsWith('.blueprint/') || path.split('/').includes('.git') || path.split('/').includes('node_modules')) {
      findings.push({
        rule: 'test-place',
        severity: 'error',
        field,
        message: `Unexpected place ${path} for a test file, expected one beside the project's tests.`,
      });
      continue;
    }
    const current = await currentDigest(context, path);
    const isOurs = context.state.files[path] !== undefined;
    if (current === null || isOurs || current === bytesDigest(new TextEncoder().encode(content))) continue;
    findings.push({
      rule: 'test-place',
      severity: 'error',
      field,
      message: `Unexpected test file ${path}: it exists and is not this feature's, expected a new file.`,
    });
  }
  return findings;
}
