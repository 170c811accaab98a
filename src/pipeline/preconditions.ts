import { UsageError } from '../errors.ts';
import type { Project } from './context.ts';
import type { RunPorts } from './run-ports.ts';

/** Without results per test nothing could be proven: better said before anything is spent. */
export function demandRunner(ports: RunPorts, project: Project): void {
  const { runner, noRunner } = ports.makeRunner(project.config.test?.runner);
  if (runner) return;
  throw new UsageError(`No test runner was found, so no criterion could be proven. ${noRunner ?? ''}`.trim(), {
    hint: 'Name one in .blueprint/config.yaml: test: { runner: "node:test" } or "vitest".',
  });
}

/** A commit needs a name: better said before the work than after it. */
export async function refuseWithoutIdentity(ports: RunPorts): Promise<void> {
  const problem = await ports.findIdentityProblem();
  if (problem) throw problem;
}
