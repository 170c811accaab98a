import type { TestSpec } from '../artifacts/test-spec.ts';
import { isProof, type CriterionEvidence } from '../model/evidence.ts';
import type { Finding } from '../model/failure.ts';
import type { TestRun } from '../model/ports.ts';
import type { TestResult } from '../model/test-result.ts';
import { contentDigest } from '../text/digest.ts';
import { readText, type RunContext } from './context.ts';

/** The result of a test by its title; suites around it may add words before. */
export function resultOf(title: string, file: string, tests: TestResult[]): TestResult | undefined {
  return (
    tests.find((test) => test.file === file && test.name === title) ??
    tests.find((test) => test.file === file && test.name.endsWith(title)) ??
    tests.find((test) => test.name.endsWith(title))
  );
}

/**
 * Evidence per named test, and findings for what is no evidence. With `mayBeGreen` an implementation may be there
 * already.
 */
export async function judgeRed(
  context: RunContext,
  spec: TestSpec,
  run: TestRun,
  { mayBeGreen = false } = {},
): Promise<{ evidence: CriterionEvidence[]; findings: Finding[] }> {
  const evidence: CriterionEvidence[] = [];
  const findings: Finding[] = [];
  const find = (message: string, at: { field?: string; file?: string } = {}): void =>
    void findings.push({ rule: 'not-red', severity: 'error', message, ...at });
  if (run.timedOut) find(`The tests did not end in time: ${run.command}.`);
  for (const [index, test] of spec.tests.entries()) {
    const judged = await judgeTest(context, spec, run, test);
    if (typeof judged === 'string') find(judged, { field: `tests[${index}]`, file: test.file });
    else evidence.push(judged);
  }
  const hasProof = evidence.some(({ red }) => isProof(red));
  if (findings.length === 0 && !hasProof && !mayBeGreen) {
    find('Unexpected pass of every test before anything is implemented, expected at least one that fails.', { field: 'tests' });
  }
  return { evidence, findings };
}

/** Evidence of one test, or what is wrong with it. */
async function judgeTest(
  context: RunContext,
  spec: TestSpec,
  run: TestRun,
  { criterion, title, file }: TestSpec['tests'][number],
): Promise<CriterionEvidence | string> {
  const text = (await readText(context, file)) ?? '';
  const made = { criterion, test: title, file, fileDigest: contentDigest(text) };
  const result = resultOf(title, file, run.tests);
  if (result?.status === 'failed') return { ...made, red: 'assertion' };
  if (result?.status === 'passed') return carriedOver(context, title, made.fileDigest) ?? { ...made, red: 'already-green' };
  if (result) return `Unexpected skipped test "${title}", expected one that runs and fails.`;
  const broken = run.tests.find((test) => test.file === file && test.name === '' && test.status === 'failed');
  if (!broken || !isCreated(broken.error?.missing, spec)) return reasonNotRun(title, file, broken);
  // No test of the file could run, so nothing but its text tells that this one is there.
  if (!text.includes(criterion)) return `Unexpected file ${file} without the id ${criterion}, expected a test titled "${title}" in it.`;
  return { ...made, red: 'missing-module' };
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
