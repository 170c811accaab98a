import type { Processes, TestRunner } from '../../model/ports.ts';
import type { DetectedRunner } from '../stack.ts';
import { createNodeTestRunner } from './node-test.ts';
import { createVitestRunner } from './vitest.ts';

/** The runner for what was found in a project. */
export function createTestRunner(found: DetectedRunner, place: { root: string; processes: Processes }): TestRunner {
  if (found.name === 'vitest') return createVitestRunner(place);
  const { nodeArguments, patterns } = found;
  return createNodeTestRunner({
    ...place,
    ...(nodeArguments === undefined ? {} : { nodeArguments }),
    ...(patterns === undefined ? {} : { patterns }),
  });
}
