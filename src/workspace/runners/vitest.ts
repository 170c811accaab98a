import { access } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Processes, TestRunner } from '../../model/ports.ts';
import { runWithReport } from './run-with-report.ts';
import { readVitestReport } from './vitest-report.ts';

/** Runs tests with the vitest of the project. */
export function createVitestRunner({ root, processes }: { root: string; processes: Processes }): TestRunner {
  return {
    name: 'vitest',
    async run(files, context) {
      return runWithReport({
        root,
        processes,
        context,
        command: ['vitest run', ...files].join(' '),
        async prepare(_folder, reportFile) {
          // Thresholds of coverage would fail a run of some of the files.
          const flags = ['--coverage.enabled=false', '--reporter=default', '--reporter=json', `--outputFile.json=${reportFile}`];
          return [...(await findVitest(root)), 'run', ...flags, ...files];
        },
        read: readVitestReport,
      });
    },
  };
}

/** The installed vitest of the project or, in a workspace, of a folder above it. */
async function findVitest(root: string): Promise<string[]> {
  for (let folder = root; ; folder = dirname(folder)) {
    const program = join(folder, 'node_modules/vitest/vitest.mjs');
    if (
      await access(program).then(
        () => true,
        () => false,
      )
    )
      return ['node', program];
    if (folder === dirname(folder)) return ['npx', '--no-install', 'vitest'];
  }
}
