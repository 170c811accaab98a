import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { addNote, readNotes } from '../src/store.js';

let folder;
let file;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'notes-'));
  file = join(folder, 'notes.json');
});

afterEach(() => rm(folder, { recursive: true }));

test('a file that does not exist yet holds no notes', async () => {
  assert.deepEqual(await readNotes(file), []);
});

test('notes keep their order and count from 1', async () => {
  await addNote(file, { text: 'Buy oat milk', tags: ['shopping'] });
  await addNote(file, { text: ' Call Grandma ' });
  assert.deepEqual(await readNotes(file), [
    { id: 1, text: 'Buy oat milk', tags: ['shopping'] },
    { id: 2, text: 'Call Grandma', tags: [] },
  ]);
});

test('a note without a text is refused and nothing is written', async () => {
  await assert.rejects(addNote(file, { text: '  ' }), /needs a text/);
  assert.deepEqual(await readNotes(file), []);
});
