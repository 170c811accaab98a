import { chmod, lstat, mkdir, mkdtemp, readFile, readdir, readlink, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createFiles } from '../../src/util/files.ts';
import { createHash } from 'node:crypto';

const files = createFiles();
let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'blueprint-files-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const bytes = (text: string) => new TextEncoder().encode(text);

test('a missing file reads as undefined and may be removed', async () => {
  expect(await files.read(join(folder, 'none'))).toBeUndefined();
  expect(await files.read(join(folder, 'no/folder/none'))).toBeUndefined();
  await files.remove(join(folder, 'none'));
  await expect(files.read(folder)).rejects.toMatchObject({ code: 'EISDIR' });
});

test('folders are made, bytes are exact, and no temporary file stays', async () => {
  const path = join(folder, 'a/b/c.bin');
  const content = Uint8Array.of(0, 255, 13, 10, 239, 187, 191);
  await files.replace(path, content);
  expect(new Uint8Array(await readFile(path))).toEqual(content);
  expect(await readdir(join(folder, 'a/b'))).toEqual(['c.bin']);
});

test('the mode of an existing file is kept, whatever the umask says', async () => {
  const path = join(folder, 'run.sh');
  await writeFile(path, 'old');
  await chmod(path, 0o777);
  await files.replace(path, bytes('new'));
  expect((await stat(path)).mode & 0o7777).toBe(0o777);
});

test('a link stays a link, and its target gets the bytes, also when it did not exist', async () => {
  await mkdir(join(folder, 'real'));
  await writeFile(join(folder, 'real/x'), 'old');
  await symlink('real/x', join(folder, 'one'));
  await symlink('one', join(folder, 'two'));
  await symlink('real/new', join(folder, 'dangling'));
  await files.replace(join(folder, 'two'), bytes('new'));
  await files.replace(join(folder, 'dangling'), bytes('made'));
  expect(await readlink(join(folder, 'two'))).toBe('one');
  expect(await readFile(join(folder, 'real/x'), 'utf8')).toBe('new');
  expect((await lstat(join(folder, 'dangling'))).isSymbolicLink()).toBe(true);
  expect(await readFile(join(folder, 'real/new'), 'utf8')).toBe('made');
});

test('links that go round in circles are an error, not a loop', async () => {
  await symlink('b', join(folder, 'a'));
  await symlink('a', join(folder, 'b'));
  await expect(files.replace(join(folder, 'a'), bytes('x'))).rejects.toMatchObject({ code: 'ELOOP' });
});

test('a failure leaves the folder as it was', async () => {
  await mkdir(join(folder, 'taken'));
  await writeFile(join(folder, 'taken/inside'), '');
  await expect(files.replace(join(folder, 'taken'), bytes('x'))).rejects.toMatchObject({ code: 'EISDIR' });
  expect(await readdir(folder)).toEqual(['taken']);
});

test('a name of 255 bytes can be written', async () => {
  const name = 'n'.repeat(255);
  await files.replace(join(folder, name), bytes('x'));
  expect(await readdir(folder)).toEqual([name]);
});

test('what a killed process left half-written for this file is swept away, and nothing else is', async () => {
  const digest = createHash('sha256').update('x.md').digest('hex').slice(0, 12);
  const dead = `.${digest}.999999999.0123456789ab.blueprint-tmp`;
  const alive = `.${digest}.${process.pid}.0123456789ab.blueprint-tmp`;
  const other = '.ffffffffffff.999999999.0123456789ab.blueprint-tmp';
  for (const name of [dead, alive, other]) await writeFile(join(folder, name), 'half');
  await files.replace(join(folder, 'x.md'), bytes('whole'));
  expect((await readdir(folder)).sort()).toEqual([alive, other, 'x.md'].sort());
});

test('a place where no file can be made surfaces as the error of the system', async () => {
  await expect(files.replace('/proc/blueprint-test', bytes('x'))).rejects.toHaveProperty('code');
});
