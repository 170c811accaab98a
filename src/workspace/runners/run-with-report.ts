import { mkdtemp, readFile, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Processes, TestRun } from '../../model/ports.ts';
import type { TestResult } from '../../model/test-result.ts';

export interface ReportedCommand {
  /** Absolute path of the project root. */
  root: string;
  processes: Processes;
  context: { signal?: AbortSignal; timeout: number };
  /** How a person would write it. */
  command: string;
  /** The command, given a temporary folder that exists while it runs, and the file in it to report to. */
  prepare(folder: string, reportFile: string): Promise<string[]> | string[];
  /** Reads the report, given the canonical project root; an empty text when there is none. */
  read(report: string, root: string): TestResult[];
}

/** Runs a test command that writes its report to a file: whatever the tests print cannot disturb it. */
export async function runWithReport(reported: ReportedCommand): Promise<TestRun> {
  const { root, processes, context, command } = reported;
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'blueprint-tests-')));
  try {
    const reportFile = join(folder, 'report');
    const argv = await reported.prepare(folder, reportFile);
    const result = await processes.run({ argv, cwd: root, ...context });
    const report = await readFile(reportFile, 'utf8').catch(() => '');
    return {
      command,
      exitCode: result.exitCode,
      timedOut: result.timedOut,
      tests: reported.read(report, await realpath(root)),
      output: [result.stdout, result.stderr].filter((part) => part !== '').join('\n'),
      leftBehind: result.leftBehind,
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
