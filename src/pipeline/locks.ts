import { join } from 'node:path';
import { StateError } from '../errors.ts';
import { takeLock } from '../journal/lock.ts';
import { createCheckout, type Checkout } from './checkout.ts';
import type { RunContext } from './context.ts';
import { hasUncommittedFiles } from './run.ts';
import type { RunPorts } from './run-ports.ts';
import { readRunState } from './runs.ts';

/**
 * Takes the lock of a feature for as long as it is run.
 * @throws StateError naming process and host when another run holds it.
 */
export async function takeFeatureLock(ports: RunPorts, feature: string): Promise<{ release(): Promise<void> }> {
  const path = join(ports.root, '.blueprint', 'locks', `feature-${feature}.json`);
  const attempt = await takeLock(path, { feature }, ports.locks);
  if (attempt.taken) return attempt;
  const { pid, host, since } = attempt.holder;
  const isHere = host === ports.locks.identity.host;
  throw new StateError(`Feature ${feature} is being run by process ${pid} on ${host} since ${since}.`, {
    hint: isHere ? 'Wait for it, or stop that process.' : `If it no longer runs there, remove .blueprint/locks/feature-${feature}.json.`,
  });
}

/** The lock on the working tree, which a run takes from its tests to its commit. */
export function makeCheckout(context: RunContext, ports: RunPorts): Checkout {
  return createCheckout({
    path: join(ports.root, '.blueprint', 'locks', 'checkout.json'),
    feature: context.feature,
    run: context.state.run,
    port: ports.locks,
    hooks: context.hooks,
    wait: (milliseconds, signal) => ports.wait(milliseconds, signal),
    hasUncommittedWork: async ({ run }) => {
      const state = run === undefined ? undefined : await readRunState(ports.root, run);
      return (
        state !== undefined &&
        (state.status === 'running' || state.status === 'paused') &&
        hasUncommittedFiles({ state, repository: context.repository })
      );
    },
  });
}
