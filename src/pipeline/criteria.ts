import { criteriaOf } from '../artifacts/criteria.ts';
import { documentKinds } from '../artifacts/kinds.ts';
import { qualifiedId } from '../artifacts/ids.ts';
import type { TestSpec } from '../artifacts/test-spec.ts';
import type { Draft } from '../model/artifact.ts';
import type { Finding } from '../model/failure.ts';
import { readText, type RunContext } from './context.ts';
import { listFeatureFiles } from './inputs.ts';

/** Qualified ids of all criteria in the feature's stories, as they are on disk. */
export async function criteriaOnDisk(context: RunContext): Promise<{ id: string; title: string }[]> {
  const criteria: { id: string; title: string }[] = [];
  for (const name of await listFeatureFiles(context)) {
    if (!/^story-.+\.md$/.test(name)) continue;
    const text = (await readText(context, `${context.folder}/${name}`)) ?? '';
    const parsed = documentKinds.story.parse(text);
    const story = parsed.ok ? parsed.data.id : name.slice(0, -'.md'.length);
    for (const { id, title } of criteriaOf(text)) criteria.push({ id: qualifiedId(story, id), title });
  }
  return criteria;
}

/** The test spec as it is on disk, if it parses. */
export async function testSpecOnDisk(context: RunContext): Promise<TestSpec | undefined> {
  const text = await readText(context, `${context.folder}/test-spec.md`);
  const parsed = text === undefined ? undefined : documentKinds['test-spec'].parse(text);
  return parsed?.ok ? parsed.data : undefined;
}

export function testSpecOf(draft: Draft): TestSpec | undefined {
  return draft.documents.find(({ kind }) => kind === 'test-spec')?.data as TestSpec | undefined;
}

/** Every criterion has a test, and every test belongs to a criterion that exists. */
export function coverageFindings(spec: TestSpec, criteria: { id: string; title: string }[]): Finding[] {
  const findings: Finding[] = [];
  const known = new Set(criteria.map(({ id }) => id));
  const tested = new Set(spec.tests.map(({ criterion }) => criterion));
  for (const { id, title } of criteria) {
    if (!tested.has(id))
      findings.push({
        rule: 'criterion-untested',
        severity: 'error',
        message: `Unexpected criterion without a test: ${id} (${title}), expected at least one.`,
        field: 'tests',
      });
  }
  spec.tests.forEach(({ criterion }, index) => {
    if (known.has(criterion)) return;
    findings.push({
      rule: 'criterion-unknown',
      severity: 'error',
      message: `Unexpected criterion ${criterion}, expected one of ${[...known].join(', ')}.`,
      field: `tests[${index}].criterion`,
    });
  });
  return findings;
}
