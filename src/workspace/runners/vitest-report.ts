import { z } from 'zod';
import type { TestResult } from '../../model/test-result.ts';
import { errorText } from './error-text.ts';
import { findMissing, projectPath } from './missing.ts';

const reportSchema = z.object({
  testResults: z.array(
    z.object({
      name: z.string(),
      status: z.string(),
      message: z.string().optional(),
      assertionResults: z.array(
        z.object({
          ancestorTitles: z.array(z.string()),
          title: z.string(),
          status: z.string(),
          failureMessages: z.array(z.string()).nullish(),
        }),
      ),
    }),
  ),
});

/** Turns the report of vitest's JSON reporter into results; a report that is none has none. */
export function readVitestReport(json: string, root: string): TestResult[] {
  return parseReport(json).flatMap((file) => {
    const path = projectPath(file.name, root);
    const tests = file.assertionResults.map((test): TestResult => {
      // Suites of files without `describe` have one title, the empty one.
      const name = [...test.ancestorTitles, test.title].filter((title) => title !== '').join(' ');
      if (test.status !== 'failed') return { file: path, name, status: test.status === 'passed' ? 'passed' : 'skipped' };
      return { file: path, name, status: 'failed', error: describe(test.failureMessages?.join('\n\n') ?? '', root) };
    });
    // Vitest counts no test and no failure for a file that cannot be loaded: only the message of the file tells. A hook
    // of a suite that fails leaves skipped tests, no failed one and no message.
    if (file.status !== 'failed' || tests.some((test) => test.status === 'failed')) return tests;
    const error = describe(file.message ?? '', root);
    const uncallable = UNCALLABLE.exec(error.message)?.[1];
    const named = uncallable === undefined ? error : { missing: uncallable, ...error };
    return [{ file: path, name: '', status: 'failed', error: named } as const, ...tests];
  });
}

// A missing export is `undefined` here. What a file calls while it loads is nearly always an import.
const UNCALLABLE = /^(?:TypeError: )?([\w$]+) is not a (?:function|constructor)$/;

function parseReport(json: string): z.infer<typeof reportSchema>['testResults'] {
  try {
    const parsed = reportSchema.safeParse(JSON.parse(json));
    return parsed.success ? parsed.data.testResults : [];
  } catch {
    return [];
  }
}

function describe(raw: string, root: string): NonNullable<TestResult['error']> {
  const message = errorText(raw) || 'It failed outside of a test, e.g. in a hook; the output tells why.';
  const missing = findMissing(message, root);
  return missing === undefined ? { message } : { message, missing };
}
