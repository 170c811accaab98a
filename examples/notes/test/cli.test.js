import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const CLI = fileURLToPath(new URL('../src/cli.js', import.meta.url));
let folder;

const notes = (...args) => promisify(execFile)(process.execPath, [CLI, ...args], { env: { ...process.env, NOTES_FILE: join(folder, 'notes.json') } });

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'notes-'));
});

afterEach(() => rm(folder, { recursive: true }));

test('add prints the note with its number and tags, list prints all', async () => {
  assert.equal((await notes('add', 'Buy oat milk', '--tag', 'shopping')).stdout, '1. Buy oat milk #shopping\n');
  await notes('add', 'Call Grandma');
  assert.equal((await notes('list')).stdout, '1. Buy oat milk #shopping\n2. Call Grandma\n');
});

test('an unknown command prints the usage and ends with 2', async () => {
  await assert.rejects(notes('fly'), (error) => error.code === 2 && /Usage/.test(error.stderr));
});
