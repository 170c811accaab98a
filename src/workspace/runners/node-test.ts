import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Processes, TestRunner } from '../../model/ports.ts';
import { readNodeTestEvents } from './node-test-events.ts';
import { NODE_TEST_REPORTER } from './node-test-reporter.ts';
import { runWithReport } from './run-with-report.ts';

export interface NodeTestOptions {
  /** Absolute path of the project root. */
  root: string;
  processes: Processes;
  /** Arguments of Node from the project's own test script, e.g. `--import tsx`. */
  nodeArguments?: string[];
  /** Files or globs of the whole suite as the project's test script writes them, for a shell; empty for Node's own choice. */
  patterns?: string;
}

/** Runs tests with `node --test`. */
export function createNodeTestRunner({ root, processes, nodeArguments = [], patterns = '' }: NodeTestOptions): TestRunner {
  return {
    name: 'node:test',
    async run(files, context) {
      return runWithReport({
        root,
        processes,
        context,
        command: ['node', ...nodeArguments, '--test', ...(files.length > 0 ? files : [patterns])].join(' ').trim(),
        async prepare(folder, reportFile) {
          const reporter = join(folder, 'reporter.mjs');
          await writeFile(reporter, NODE_TEST_REPORTER);
          const flags = [
            ...nodeArguments,
            '--test',
            `--test-reporter=${reporter}`,
            `--test-reporter-destination=${reportFile}`,
            '--test-reporter=spec',
            '--test-reporter-destination=stdout',
          ];
          if (files.length > 0) return ['node', ...flags, ...files.map((file) => `./${file}`)];
          // The script's own words go through a shell, as they would with npm: the globs are the shell's to expand.
          return patterns === '' ? ['node', ...flags] : ['sh', '-c', `exec node "$@" ${patterns}`, 'sh', ...flags];
        },
        read: readNodeTestEvents,
      });
    },
  };
}
