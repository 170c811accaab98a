import type { Draft } from '../model/artifact.ts';
import type { Digests } from '../model/event.ts';
import type { CriterionEvidence } from '../model/evidence.ts';
import type { FailureKind, Finding } from '../model/failure.ts';
import type { TestRun } from '../model/ports.ts';
import type { TestSpec } from '../artifacts/test-spec.ts';
import type { RunContext } from './context.ts';
import { coverageFindings, criteriaOnDisk, testSpecOf, testSpecOnDisk } from './criteria.ts';
import { createGuard } from './guard.ts';
import type { StageDefinition } from './steps.ts';
import { resultOf } from './red-evidence.ts';
import { proveRed, runTests } from './tests-first.ts';

export type Proof =
  { ok: true; evidence?: CriterionEvidence[]; protects?: Digests } | { ok: false; kind: FailureKind; findings: Finding[]; final?: boolean };

/** What a stage must show beyond the shape of its submission: tests that are red, code that makes them green. */
export async function proveStage(context: RunContext, stage: StageDefinition, attempt: number, draft: Draft): Promise<Proof> {
  if (stage.kind === 'test-spec') return proveTests(context, stage, attempt, draft);
  if (stage.name === 'implement') return proveGreen(context, stage.name, attempt);
  return { ok: true };
}

async function proveTests(context: RunContext, stage: StageDefinition, attempt: number, draft: Draft): Promise<Proof> {
  const spec = testSpecOf(draft);
  if (!spec)
    return {
      ok: false,
      kind: 'no-artifact',
      findings: [{ rule: 'schema', severity: 'error', message: 'Unexpected draft without a test spec.' }],
    };
  const uncovered = coverageFindings(spec, await criteriaOnDisk(context));
  if (uncovered.length > 0) return { ok: false, kind: 'guardrail', findings: uncovered };
  const red = await proveRed(context, { step: stage.name, attempt }, spec, draft);
  return red.ok ? red : { ok: false, kind: 'not-red', findings: red.findings };
}

async function proveGreen(context: RunContext, step: string, attempt: number): Promise<Proof> {
  const spec = await testSpecOnDisk(context);
  if (!spec) return { ok: true };
  const guard = createGuard(context, step, attempt);
  await guard.before('command');
  const run = await runTests(context, { step, attempt, purpose: 'green', files: Object.keys(context.state.protects) });
  const { failure } = await guard.after('the test run');
  if (failure)
    return { ok: false, kind: failure.kind, final: true, findings: [{ rule: failure.kind, severity: 'error', message: failure.message }] };
  const { findings } = judgeGreen(spec, run);
  return findings.length === 0 ? { ok: true } : { ok: false, kind: 'tests-red', findings };
}

/** Which criteria all their named tests prove, and a finding for each test that does not pass. */
export function judgeGreen(spec: TestSpec, run: TestRun): { proven: string[]; findings: Finding[] } {
  const findings: Finding[] = [];
  const open = new Set<string>();
  for (const { criterion, title, file } of spec.tests) {
    const result = resultOf(title, file, run.tests);
    if (result?.status === 'passed') continue;
    open.add(criterion);
    const broken = result ?? run.tests.find((test) => test.file === file && test.name === '');
    const cause = broken?.error?.message ?? (result ? `it was ${result.status}` : 'it did not run');
    findings.push({
      rule: 'tests-red',
      severity: 'error',
      file,
      message: `Unexpected failure of "${title}", expected it to pass: ${cause.slice(0, 600)}`,
    });
  }
  const proven = [...new Set(spec.tests.map(({ criterion }) => criterion))].filter((criterion) => !open.has(criterion));
  return { proven, findings };
}
