import { appendFileSync, existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync, utimesSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { StateError } from '../../src/errors.ts';
import { getBlob, LINE_LIMIT, openJournal } from '../../src/journal/journal.ts';
import { readJournal } from '../../src/journal/read.ts';
import { takeLock, type LockPort } from '../../src/journal/lock.ts';

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'blueprint-journal-'));
  path = join(folder, 'journal.jsonl');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const clock = { now: () => 0 };
const started = { schema: 1, version: '1', run: 'r', feature: 'f', engine: 'e', commit: true, base: null };
const line = (seq: number, type: string, data: object): string =>
  `${JSON.stringify({ seq, time: '1970-01-01T00:00:00.000Z', type, data })}\n`;
const edited = (seq: number, to: string): string => line(seq, 'artifact-edited', { path: 'a.md', from: null, to });

describe('a journal', () => {
  it('folds what was appended, and goes on counting after it was closed', async () => {
    const first = await openJournal({ folder, lastSeq: 0, length: 0, clock });
    await first.append({ type: 'run-started', data: started });
    await first.close();
    const read = await readJournal(path);
    const second = await openJournal({ folder, lastSeq: read.state.lastSeq, length: read.length, clock });
    await second.append({ type: 'run-ended', data: { status: 'completed' } });
    await second.close();
    expect((await readJournal(path)).state).toMatchObject({ run: 'r', status: 'completed', lastSeq: 2 });
  });

  it('cuts a torn tail off before the next append, and says so', async () => {
    writeFileSync(path, `${line(1, 'run-started', started)}{"seq":2,"ti`);
    const read = await readJournal(path);
    expect(read.warnings.join()).toContain(`${path}:2`);
    const journal = await openJournal({ folder, lastSeq: read.state.lastSeq, length: read.length, clock });
    await journal.append({ type: 'run-ended', data: { status: 'aborted' } });
    await journal.close();
    const again = await readJournal(path);
    expect(again.warnings).toEqual([]);
    expect(again.state.status).toBe('aborted');
  });

  it('keeps and names a line that is no event, and reads the rest', async () => {
    writeFileSync(path, `${line(1, 'run-started', started)}oops\n${line(2, 'run-ended', { status: 'completed' })}`);
    const read = await readJournal(path);
    expect(read.damaged).toEqual([2]);
    expect(read.state.status).toBe('completed');
  });

  it('lets the later of two events with one number count', async () => {
    writeFileSync(path, line(1, 'run-started', started) + edited(2, 'sha256:old') + edited(2, 'sha256:new'));
    const read = await readJournal(path);
    expect(read.state.files['a.md']?.accepted).toBe('sha256:new');
    expect(read.state.files['a.md']?.first).toBe(null);
    expect(read.warnings.join()).toContain('twice');
  });

  it('skips event types it does not know', async () => {
    writeFileSync(
      path,
      line(1, 'run-started', started) + line(2, 'from-the-future', { x: 1 }) + line(3, 'run-ended', { status: 'completed' }),
    );
    const read = await readJournal(path);
    expect(read.warnings).toEqual([]);
    expect(read.state.status).toBe('completed');
  });

  it('reads past a byte order mark and the line separators of Unicode inside strings', async () => {
    writeFileSync(path, `\uFEFF${line(1, 'run-started', { ...started, feature: 'a\u2028b' })}`);
    expect((await readJournal(path)).state.feature).toBe('a\u2028b');
  });

  it('of a newer format is refused with the version that wrote it', async () => {
    writeFileSync(path, line(1, 'run-started', { ...started, schema: 2, version: '9.9.9' }));
    await expect(readJournal(path)).rejects.toThrow(StateError);
    await expect(readJournal(path)).rejects.toMatchObject({ hint: expect.stringContaining('9.9.9') as string });
  });

  it('refuses a line over the limit and stays as it was', async () => {
    const journal = await openJournal({ folder, lastSeq: 0, length: 0, clock });
    await journal.append({ type: 'run-started', data: started });
    await expect(journal.append({ type: 'run-ended', data: { status: 'aborted', reason: 'x'.repeat(LINE_LIMIT) } })).rejects.toThrow(
      /expected at most/,
    );
    await journal.close();
    expect(readFileSync(path, 'utf8').split('\n')).toHaveLength(2);
  });

  it('gives a blob back only when its bytes are the recorded ones', async () => {
    const journal = await openJournal({ folder, lastSeq: 0, length: 0, clock });
    const digest = await journal.putBlob('hello');
    expect(new TextDecoder().decode(await journal.getBlob(digest))).toBe('hello');
    appendFileSync(join(folder, 'blobs', digest.replace('sha256:', '')), '!');
    await expect(getBlob(folder, digest)).rejects.toThrow(/other bytes/);
    await journal.close();
  });
});

describe('a lock', () => {
  const port = (pid: number, living: number[]): LockPort => ({
    identity: { pid, host: hostname() },
    isAlive: async (holder) => living.includes(holder.pid),
    now: () => 0,
    random: () => Math.random().toString(16).slice(2),
  });

  it('is given to one of many who ask at once', async () => {
    const pids = Array.from({ length: 20 }, (_, index) => index + 1);
    const attempts = await Promise.all(pids.map((pid) => takeLock(join(folder, 'lock'), { feature: 'f' }, port(pid, pids))));
    expect(attempts.filter(({ taken }) => taken)).toHaveLength(1);
  });

  it('of a process that has ended is taken over by exactly one', async () => {
    const pids = Array.from({ length: 20 }, (_, index) => index + 1);
    for (let round = 0; round < 30; round += 1) {
      const path = join(folder, `lock-${round}`);
      await takeLock(path, { feature: 'f' }, port(99, []));
      const attempts = await Promise.all(pids.map((pid) => takeLock(path, { feature: 'f' }, port(pid, pids))));
      expect(attempts.filter(({ taken }) => taken)).toHaveLength(1);
    }
    expect(readdirSync(folder)).toHaveLength(30);
  });

  it('is taken over also when a process has crashed while it took it over', async () => {
    const path = join(folder, 'lock');
    await takeLock(path, { feature: 'f' }, port(99, []));
    writeFileSync(`${path}.takeover`, '');
    expect(await takeLock(path, { feature: 'f' }, port(1, [1]))).toMatchObject({ taken: false });
    utimesSync(`${path}.takeover`, 0, 0);
    expect(await takeLock(path, { feature: 'f' }, { ...port(1, [1]), now: () => Date.now() })).toMatchObject({ taken: true });
    expect(readdirSync(folder)).toEqual(['lock']);
  });

  it('of another host is never taken over', async () => {
    writeFileSync(join(folder, 'lock'), JSON.stringify({ pid: 1, host: 'elsewhere', feature: 'f', since: '' }));
    expect(await takeLock(join(folder, 'lock'), { feature: 'f' }, port(2, []))).toMatchObject({
      taken: false,
      holder: { host: 'elsewhere' },
    });
  });

  it("that was left as a claim is nobody's at work, though its process lives", async () => {
    const attempt = await takeLock(join(folder, 'lock'), { feature: 'f' }, port(1, [1]));
    if (!attempt.taken) throw new Error('not taken');
    await attempt.pause();
    expect(await takeLock(join(folder, 'lock'), { feature: 'g' }, port(1, [1]), async () => false)).toMatchObject({
      taken: false,
      isAlive: false,
      holder: { feature: 'f' },
    });
    expect(await takeLock(join(folder, 'lock'), { feature: 'f' }, port(1, [1]))).toMatchObject({ taken: true });
  });

  it('is free again after its release, and a foreign one is not released', async () => {
    const attempt = await takeLock(join(folder, 'lock'), { feature: 'f' }, port(1, [1]));
    if (!attempt.taken) throw new Error('not taken');
    writeFileSync(join(folder, 'lock'), '{"pid":2}');
    await attempt.release();
    expect(existsSync(join(folder, 'lock'))).toBe(true);
  });
});
