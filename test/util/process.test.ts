import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { isAlive, processIdentity, randomHex, systemClock } from '../../src/util/process.ts';

test('this process is alive, and the same id with another start, boot or host is not', async () => {
  const identity = await processIdentity();
  expect(identity.pid).toBe(process.pid);
  expect(await isAlive(identity)).toBe(true);
  expect(await isAlive({ ...identity, start: '1' })).toBe(false);
  expect(await isAlive({ ...identity, boot: 'another' })).toBe(false);
  expect(await isAlive({ ...identity, host: 'elsewhere.example' })).toBe(false);
});

test('a process that ended is not alive', async () => {
  const child = spawn('sleep', ['30']);
  const identity = await processIdentity(child.pid);
  expect(await isAlive(identity)).toBe(true);
  child.kill('SIGKILL');
  await once(child, 'exit');
  expect(await isAlive(identity)).toBe(false);
});

test('the monotonic clock never goes back, and random digits differ', () => {
  const first = systemClock.monotonic();
  expect(systemClock.monotonic()).toBeGreaterThanOrEqual(first);
  expect(Math.abs(systemClock.now() - Date.now())).toBeLessThan(1000);
  expect(randomHex(4)).toMatch(/^[0-9a-f]{8}$/);
  expect(randomHex(8)).not.toBe(randomHex(8));
});
