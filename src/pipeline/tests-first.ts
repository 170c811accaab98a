import type { TestSpec } from '../artifacts/test-spec.ts';
import type { Draft } from '../model/artifact.ts';
import type { CriterionEvidence, Digests } from '../model/event.ts';
import type { Finding } from '../model/failure.ts';
import type { TestRun } from '../model/ports.ts';
import type { TestResult } from '../model/test-result.ts';
import { InternalError } from '../errors.ts';
import { bytesDigest, contentDigest } from '../text/digest.ts';
import { absolute, currentDigest, record, type RunContext } from './context.ts';
import { runFileDigests } from './inputs.ts';
import { placeFiles, type Target } from './place.ts';

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
  await placeFiles(context, { ...at, purpose: 'tests' }, [...targets, ...dropped.map((path) => ({ path, bytes: null }))]);
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

/** The result of a test by its title; suites around it may add words before. */
export function resultOf(title: string, file: string, tests: TestResult[]): TestResult | undefined {
  return (
    tests.find((test) => test.file === file && test.name === title) ??
    tests.find((test) => test.file === file && test.name.endsWith(title)) ??
    tests.find((test) => test.name.endsWith(title))
  );
}

/** Evidence per named test, and findings for what is no evidence. With `mayBeGreen` an implementation may be there already. */
export async function judgeRed(
  context: RunContext,
  spec: TestSpec,
  run: TestRun,
  { mayBeGreen = false } = {},
): Promise<{ evidence: CriterionEvidence[]; findings: Finding[] }> {
  const evidence: CriterionEvidence[] = [];
  const findings: Finding[] = [];
  if (run.timedOut) findings.push({ rule: 'not-red', severity: 'error', message: `The tests did not end in time: ${run.command}.` });
  for (const [index, { criterion, title, file }] of spec.tests.entries()) {
    const field = `tests[${index}]`;
    const fileDigest = await digestOfFile(context, file);
    const result = resultOf(title, file, run.tests);
    if (result?.status === 'failed') evidence.push({ criterion, test: title, file, red: 'assertion', fileDigest });
    else if (result?.status === 'passed')
      evidence.push(carriedOver(context, title, fileDigest) ?? { criterion, test: title, file, red: 'already-green', fileDigest });
    else if (result)
      findings.push({
        rule: 'not-red',
        severity: 'error',
        field,
        file,
        message: `Unexpected skipped test "${title}", expected one that runs and fails.`,
      });
    else {
      const broken = run.tests.find((test) => test.file === file && test.name === '' && test.status === 'failed');
      if (broken && isCreated(broken.error?.missing, spec))
        evidence.push({ criterion, test: title, file, red: 'missing-module', fileDigest });
      else findings.push({ rule: 'not-red', severity: 'error', field, file, message: reasonNotRun(title, file, broken) });
    }
  }
  const isProof = evidence.some(({ red }) => red !== 'already-green');
  if (findings.length === 0 && !isProof && !mayBeGreen) {
    findings.push({
      rule: 'not-red',
      severity: 'error',
      field: 'tests',
      message: 'Unexpected pass of every test before anything is implemented, expected at least one that fails.',
    });
  }
  return { evidence, findings };
}

/** A test seen red earlier in this run, in the same bytes, has given its proof. */
function carriedOver(context: RunContext, title: string, fileDigest: string): CriterionEvidence | undefined {
  const seen = context.state.seenRed[title];
  return seen?.fileDigest === fileDigest ? seen : undefined;
}

function reasonNotRun(title: string, file: string, broken: TestResult | undefined): string {
  if (!broken) return `Unexpected title "${title}": no test of this name ran from ${file}, expected one that fails.`;
  const missing = broken.error?.missing;
  const cause =
    missing === undefined ? (broken.error?.message ?? 'it could not be loaded').slice(0, 400) : `${missing} is missing and not in creates`;
  return `Unexpected failure to load ${file}: ${cause}; expected the test to run and fail, or the missing module to be listed in creates.`;
}

/** The missing thing is a module the test spec promises (with or without its ending), or an export it promises. */
function isCreated(missing: string | undefined, spec: TestSpec): boolean {
  if (missing === undefined) return false;
  const bare = (path: string): string => path.replace(/^\.\//, '').replace(/\.[cm]?[jt]sx?$/, '');
  return spec.creates.some(({ path, symbols }) => bare(path) === bare(missing) || symbols.includes(missing));
}

async function digestOfFile(context: RunContext, path: string): Promise<string> {
  const bytes = await context.files.read(absolute(context, path));
  return bytes === undefined ? 'none' : contentDigest(new TextDecoder().decode(bytes));
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
