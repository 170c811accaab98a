import { StateError } from '../errors.ts';
import type { Hooks } from '../model/api.ts';
import { takeLock, type LockAttempt, type LockHolder, type LockPort } from '../journal/lock.ts';

/** The checkout's lock: from `tests` to the commit the working tree belongs to one feature. */
export interface Checkout {
  /** Waits while another running feature holds it. */
  acquire(): Promise<void>;
  /** Gives it back, or leaves it as a claim while files of a paused run lie uncommitted in the tree. */
  release(keepClaim: boolean): Promise<void>;
}

export interface CheckoutOptions {
  path: string;
  feature: string;
  run: string;
  port: LockPort;
  hooks: Hooks;
  /** Whether a run that nobody executes now has uncommitted files in the tree. */
  hasUncommittedWork: (holder: LockHolder) => Promise<boolean>;
  wait: (milliseconds: number, signal: AbortSignal) => Promise<void>;
}

const POLL = 200;

export function createCheckout({ path, feature, run, port, hooks, hasUncommittedWork, wait }: CheckoutOptions): Checkout {
  let lock: (LockAttempt & { taken: true }) | undefined;
  return {
    acquire: async () => {
      for (let hasSaid = false; !lock; hasSaid = true) {
        const attempt = await takeLock(
          path,
          { feature, run },
          port,
          async (holder) => holder.feature === feature || !(await hasUncommittedWork(holder)),
        );
        if (attempt.taken) {
          lock = attempt;
          return;
        }
        if (!attempt.isAlive) throw claimedBy(attempt.holder);
        if (!hasSaid)
          hooks.emit({
            type: 'waiting',
            text: `waiting: feature ${attempt.holder.feature} (pid ${attempt.holder.pid} on ${attempt.holder.host}) has the checkout until its commit`,
          });
        await wait(POLL, hooks.signal);
      }
    },
    release: async (keepClaim) => {
      await (keepClaim ? lock?.pause() : lock?.release());
      lock = undefined;
    },
  };
}

function claimedBy({ feature, run }: LockHolder): StateError {
  return new StateError(`Feature ${feature} (run ${run ?? '?'}) is unfinished and has uncommitted files in this checkout.`, {
    hint: `Finish it with: blueprint resume ${feature} — or give this feature a checkout of its own: git worktree add ../${feature}-beside`,
  });
}
