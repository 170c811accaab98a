import { resolve } from 'node:path';
import { z } from 'zod';
import type { TestResult } from '../../model/test-result.ts';
import { errorText, fatalErrorOf } from './error-text.ts';
import { findMissing, projectPath } from './missing.ts';

/** Turns the lines of our reporter into results. A line that a killed run left half-written is skipped. */
export function readNodeTestEvents(ndjson: string, root: string): TestResult[] {
  const results: TestResult[] = [];
  // Children report before their parent, so titles are collected from the starts, which come in order.
  const titles = new Map<string, string[]>();
  const stderr = new Map<string, string>();
  for (const event of parseEvents(ndjson)) {
    const file = event.file ?? '';
    if (event.type === 'stderr') {
      stderr.set(file, ((stderr.get(file) ?? '') + event.message).slice(-MOST_STDERR));
      continue;
    }
    const path = titles.get(file) ?? [];
    if (event.type === 'start') titles.set(file, [...path.slice(0, event.nesting), event.name]);
    else if (isFileEntry(event, root)) results.push(...fileResult(event, stderr.get(file) ?? '', root));
    else results.push(...testResult(event, [...path.slice(0, event.nesting), event.name].join(' '), root));
  }
  return results;
}

const MOST_STDERR = 20_000;

const base = { name: z.string(), nesting: z.number(), file: z.string().optional() };
const ended = {
  ...base,
  isSuite: z.boolean(),
  isSkipped: z.boolean(),
  error: z.object({ failureType: z.string().optional(), message: z.string() }).optional(),
};
const eventSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('start'), ...base }),
  z.object({ type: z.literal('stderr'), file: z.string().optional(), message: z.string() }),
  z.object({ type: z.literal('pass'), ...ended }),
  z.object({ type: z.literal('fail'), ...ended }),
]);
type TestEnd = Extract<z.infer<typeof eventSchema>, { type: 'pass' | 'fail' }>;

function* parseEvents(ndjson: string) {
  for (const line of ndjson.split('\n')) {
    if (line === '') continue;
    try {
      const parsed = eventSchema.safeParse(JSON.parse(line));
      if (parsed.success) yield parsed.data;
    } catch {
      // Torn by the end of the run.
    }
  }
}

/** Node reports a file as a test named after its path when it fails as a whole or holds no tests. */
function isFileEntry(event: TestEnd, root: string): boolean {
  return event.nesting === 0 && event.file !== undefined && resolve(root, event.name) === event.file;
}

/** The entry says only "test failed"; why is what the process of the file wrote. A file that passes so has no tests. */
function fileResult(event: TestEnd, stderr: string, root: string): TestResult[] {
  if (event.type === 'pass') return [];
  const message = fatalErrorOf(stderr) || event.error?.message || 'The file failed without a word.';
  return [{ file: projectPath(event.file ?? '', root), name: '', status: 'failed', error: withMissing(message, root) }];
}

function testResult(event: TestEnd, name: string, root: string): TestResult[] {
  // A suite is no test; only when it fails of its own accord would leaving it out hide a failure.
  if (event.isSuite && (event.type === 'pass' || event.error?.failureType === 'subtestsFailed')) return [];
  const file = projectPath(event.file ?? root, root);
  if (event.isSkipped) return [{ file, name, status: 'skipped' }];
  if (event.type === 'pass') return [{ file, name, status: 'passed' }];
  return [{ file, name, status: 'failed', error: withMissing(errorText(event.error?.message ?? 'failed'), root) }];
}

function withMissing(message: string, root: string): NonNullable<TestResult['error']> {
  const missing = findMissing(message, root);
  return missing === undefined ? { message } : { message, missing };
}
