import { mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { PreparedCall, ToolContext } from '../../src/model/tool.ts';
import { projectTools } from '../../src/tools/all.ts';
import { bytesDigest } from '../../src/text/digest.ts';
import { createProcesses } from '../../src/util/process.ts';
import { createBorder } from '../../src/workspace/border.ts';

let root: string;
let context: ToolContext;
beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'blueprint-tools-')));
  context = {
    root,
    border: createBorder({ root, protectedPaths: () => ['test/a.test.ts'] }),
    processes: createProcesses({ env: { PATH: process.env['PATH'] } }),
    signal: new AbortController().signal,
    commandTimeout: 10_000,
  };
});
afterEach(() => rm(root, { recursive: true, force: true }));

async function put(path: string, content: string | Uint8Array): Promise<void> {
  await mkdir(join(root, path, '..'), { recursive: true });
  await writeFile(join(root, path), content);
}

async function call(name: string, input: unknown): Promise<PreparedCall> {
  const tool = projectTools.find((candidate) => candidate.name === name);
  if (tool === undefined) throw new Error(`no tool ${name}`);
  return tool.prepare(input, context);
}

async function answer(name: string, input: unknown): Promise<string> {
  const prepared = await call(name, input);
  if (prepared.kind !== 'answer' || prepared.isError === true) throw new Error(`not an answer: ${JSON.stringify(prepared)}`);
  return prepared.text;
}

async function fault(name: string, input: unknown): Promise<string> {
  const prepared = await call(name, input);
  if (prepared.kind !== 'answer' || prepared.isError !== true) throw new Error(`no fault: ${JSON.stringify(prepared)}`);
  return prepared.text;
}

async function written(name: string, input: unknown): Promise<string> {
  const prepared = await call(name, input);
  if (prepared.kind !== 'write') throw new Error(`no write: ${JSON.stringify(prepared)}`);
  expect(prepared.change.after).toBe(bytesDigest(prepared.bytes));
  expect(prepared.change.before).toBe(prepared.before === undefined ? null : bytesDigest(prepared.before));
  return Buffer.from(prepared.bytes).toString();
}

async function ran(command: string): Promise<{ text: string; isError: boolean }> {
  const prepared = await call('run_command', { command });
  if (prepared.kind !== 'command') throw new Error('no command');
  return prepared.run();
}

describe('every tool', () => {
  test('has a schema that lists only what must be given as required', () => {
    expect(projectTools.map((tool) => [tool.name, tool.inputSchema['required'] ?? []])).toEqual([
      ['read_file', ['path']],
      ['list_files', []],
      ['search_files', ['query']],
      ['write_file', ['path', 'content']],
      ['edit_file', ['path', 'oldText', 'newText']],
      ['run_command', ['command']],
    ]);
  });

  test('answers bad input with one line per issue and its path', async () => {
    const text = await fault('edit_file', { path: 3, newText: 'x', surplus: 1 });
    expect(text).toMatch(/^Invalid input for edit_file:\n/);
    expect(text).toMatch(/- path: .*string/);
    expect(text).toMatch(/- oldText: /);
    expect(text).toMatch(/surplus/);
    expect(await fault('read_file', null)).toMatch(/- \(input\): /);
  });

  test('that takes a path answers what the border says', async () => {
    await symlink('/etc', join(root, 'box'));
    for (const name of ['read_file', 'list_files']) expect(await fault(name, { path: 'box/passwd' })).toMatch(/outside the project/);
    expect(await fault('search_files', { query: 'root', path: 'box' })).toMatch(/outside the project/);
    expect(await fault('write_file', { path: 'box/x', content: '' })).toMatch(/outside the project/);
    expect(await fault('edit_file', { path: 'box/passwd', oldText: 'a', newText: 'b' })).toMatch(/outside the project/);
    expect(await fault('write_file', { path: 'test/a.test.ts', content: '' })).toMatch(/is a protected test/);
  });

  test('rejects with the reason once aborted', async () => {
    const reason = new Error('stop');
    context = { ...context, signal: AbortSignal.abort(reason) };
    await expect(call('list_files', {})).rejects.toBe(reason);
  });
});

describe('read_file', () => {
  test('gives a file, and a range of its lines', async () => {
    await put('a.txt', '\ufeffone\r\ntwo\nthree');
    expect(await answer('read_file', { path: 'a.txt' })).toBe('one\r\ntwo\nthree');
    expect(await answer('read_file', { path: 'a.txt', from: 2, to: 2 })).toMatch(/^two\n/);
    expect(await answer('read_file', { path: 'a.txt', from: 2, to: 99 })).toBe('two\nthree');
    expect(await fault('read_file', { path: 'a.txt', from: 4 })).toMatch(/has 3 lines/);
    expect(await fault('read_file', { path: 'a.txt', from: 3, to: 2 })).toMatch(/holds no line/);
  });

  test('names what it is when it is not a text file with lines', async () => {
    await put('empty', '');
    await put('binary', Uint8Array.of(1, 0, 2));
    await mkdir(join(root, 'folder'));
    expect(await answer('read_file', { path: 'empty' })).toMatch(/is empty/);
    expect(await answer('read_file', { path: 'binary' })).toMatch(/binary file of 3 bytes/);
    expect(await fault('read_file', { path: 'folder' })).toMatch(/is a folder/);
    expect(await fault('read_file', { path: 'none' })).toMatch(/no file "none"/);
    expect(await fault('read_file', { path: 'empty/x' })).toMatch(/not a folder/);
  });

  test('does not wait for a pipe', async () => {
    await context.processes.run({ argv: ['mkfifo', 'pipe'], cwd: root, timeout: 5000 });
    expect(await fault('read_file', { path: 'pipe' })).toMatch(/not a regular file/);
  });

  test('cuts long files at a line and says how to read on, without half a character', async () => {
    await put('long.txt', `${'😀'.repeat(50)}\n`.repeat(20_000));
    const text = await answer('read_file', { path: 'long.txt' });
    expect(text.length).toBeLessThan(61_000);
    const next = Number(/read on with from=(\d+) /.exec(text)?.[1]);
    expect(next).toBeGreaterThan(500);
    expect(await answer('read_file', { path: 'long.txt', from: next })).toMatch(/^😀/);
    await put('line.txt', `x${'😀'.repeat(400_000)}`);
    const line = await answer('read_file', { path: 'line.txt' });
    expect(line).toMatch(/characters left out/);
    expect(Buffer.from(line).toString()).toBe(line);
  });
});

describe('list_files and search_files', () => {
  beforeEach(async () => {
    for (const path of ['src/b.ts', 'src/a.ts', 'node_modules/x/index.js', '.git/config', '.env', 'README.md', 'node_modules.md']) {
      await put(path, `needle in ${path}\n`);
    }
  });

  test('lists sorted paths without .git, node_modules and what the border refuses', async () => {
    expect(await answer('list_files', {})).toBe('README.md\nnode_modules.md\nsrc/a.ts\nsrc/b.ts');
    expect(await answer('list_files', { path: 'src' })).toBe('src/a.ts\nsrc/b.ts');
    expect(await fault('list_files', { path: 'README.md' })).toMatch(/is a file/);
    expect(await fault('list_files', { path: 'none' })).toMatch(/no folder/);
  });

  test('stops after two thousand files with a note', async () => {
    await mkdir(join(root, 'many'));
    await Promise.all(Array.from({ length: 2100 }, (_, index) => writeFile(join(root, 'many', String(index)), '')));
    const lines = (await answer('list_files', { path: 'many' })).split('\n');
    expect(lines).toHaveLength(2001);
    expect(lines.at(-1)).toMatch(/only the first 2000/);
  });

  test('finds text literally, with path and line', async () => {
    await put('src/a.ts', 'x\ncall(a.b)\nCALL(axb)\r\n');
    expect(await answer('search_files', { query: 'call(a.b)' })).toBe('src/a.ts:2: call(a.b)');
    expect(await answer('search_files', { query: 'CALL(AXB)', ignoreCase: true })).toBe('src/a.ts:3: CALL(axb)');
    expect(await answer('search_files', { query: 'needle' })).toBe(
      'README.md:1: needle in README.md\nnode_modules.md:1: needle in node_modules.md\nsrc/b.ts:1: needle in src/b.ts',
    );
    expect(await answer('search_files', { query: 'nowhere' })).toBe('(no matches)');
  });

  test('finds by pattern; a bad pattern is a fault of the caller', async () => {
    await put('src/a.ts', 'x\ncall(a.b)\n');
    expect(await answer('search_files', { query: '^call\\(\\w\\-?', regex: true, path: 'src' })).toBe('src/a.ts:2: call(a.b)');
    expect(await fault('search_files', { query: 'call(', regex: true })).toMatch(/no regular expression/);
  });

  test.each(['(a+)+$', '(a|aa)+$', '^(a?){40}a{40}$'])('the pattern %s ends in seconds on a line made for it', async (query) => {
    await put('evil.txt', `${'a'.repeat(1900)}!\n`);
    const started = performance.now();
    const prepared = await call('search_files', { query, regex: true });
    expect(prepared.kind).toBe('answer');
    expect(performance.now() - started).toBeLessThan(4000);
  });

  test('skips binary files and caps matches per file and in all', async () => {
    await put('bin.dat', Buffer.from('many\0many'));
    for (let index = 0; index < 30; index += 1) await put(`m/${index}.txt`, 'many\n'.repeat(50));
    const text = await answer('search_files', { query: 'many' });
    expect(text).not.toContain('bin.dat');
    expect(text.split('\n').filter((line) => line.startsWith('m/0.txt:'))).toHaveLength(21);
    expect(text.split('\n')).toHaveLength(201);
    expect(text).toMatch(/\[\.\.\. more matches; narrow the query or name a folder \.\.\.\]$/);
  });
});

describe('write_file', () => {
  test('prepares a write and changes nothing', async () => {
    expect(await written('write_file', { path: 'new/x.ts', content: 'a\r\n' })).toBe('a\r\n');
    expect(await answer('list_files', {})).toBe('(no files)');
  });

  test('the same content is an answer, and no write', async () => {
    await put('x', 'same');
    expect(await answer('write_file', { path: 'x', content: 'same' })).toMatch(/nothing changed/);
    expect(await fault('write_file', { path: '.', content: '' })).toMatch(/project root/);
    expect(await fault('write_file', { path: 'big', content: 'x'.repeat(1_000_001) })).toMatch(/1000000 are allowed/);
  });
});

describe('edit_file', () => {
  test('text in LF is found in a file in CRLF, which keeps CRLF on every line', async () => {
    await put('a.txt', '\ufeffone\r\ntwo\r\nthree\r\n');
    expect(await written('edit_file', { path: 'a.txt', oldText: 'one\ntwo', newText: '1\n2\n2b' })).toBe('\ufeff1\r\n2\r\n2b\r\nthree\r\n');
    expect(await written('edit_file', { path: 'a.txt', oldText: 'two', newText: 'x\ny' })).toBe('\ufeffone\r\nx\r\ny\r\nthree\r\n');
  });

  test('text in CRLF changes a file in LF without turning its line ends', async () => {
    await put('a.txt', 'one\ntwo\n');
    expect(await written('edit_file', { path: 'a.txt', oldText: 'one\r\ntwo', newText: '1\r\n2' })).toBe('1\n2\n');
  });

  test('both texts are literal', async () => {
    await put('a.txt', 'a.*b [x] $& ${y}\\n');
    expect(await written('edit_file', { path: 'a.txt', oldText: '.*b [x] $&', newText: '$1$&$$' })).toBe('a$1$&$$ ${y}\\n');
  });

  test('several occurrences need all', async () => {
    await put('a.txt', 'x x x');
    expect(await fault('edit_file', { path: 'a.txt', oldText: 'x', newText: 'y' })).toMatch(/occurs 3 times/);
    expect(await written('edit_file', { path: 'a.txt', oldText: 'x', newText: 'y', all: true })).toBe('y y y');
  });

  test('a mismatch shows the closest lines with their numbers', async () => {
    await put('a.ts', 'const one = 1;\nfunction total(items) {\n  return items.length;\n}\n');
    const text = await fault('edit_file', { path: 'a.ts', oldText: 'function total(item) {\n  return item.length', newText: '' });
    expect(text).toContain('2: function total(items) {\n3:   return items.length;');
    expect(await fault('edit_file', { path: 'a.ts', oldText: '完全に違う', newText: '' })).toMatch(/Nothing like it/);
  });

  test('long texts and files are edited in reasonable time', async () => {
    const text = 'some line (with) signs *\n'.repeat(20_000);
    await put('a.txt', `${text}end`);
    expect(await written('edit_file', { path: 'a.txt', oldText: `${text}end`, newText: 'x' })).toBe('x');
    const started = performance.now();
    expect(await fault('edit_file', { path: 'a.txt', oldText: `${text}END`, newText: 'x' })).toMatch(/closest lines/);
    expect(performance.now() - started).toBeLessThan(3000);
  });

  test('bytes that are no text are not touched', async () => {
    await put('latin.txt', Uint8Array.of(0x61, 0xe9, 0x62));
    await put('binary', Uint8Array.of(0x61, 0, 0x62));
    expect(await fault('edit_file', { path: 'latin.txt', oldText: 'a', newText: 'b' })).toMatch(/not valid UTF-8/);
    expect(await fault('edit_file', { path: 'binary', oldText: 'a', newText: 'b' })).toMatch(/binary/);
    expect(await readFile(join(root, 'latin.txt'))).toHaveLength(3);
  });
});

describe('run_command', () => {
  test('silence is said aloud', async () => {
    expect(await ran('false')).toMatchObject({ text: '(no output), exit 1', isError: true });
    expect(await ran('true')).toMatchObject({ text: '(no output), exit 0', isError: false });
  });

  test('output, error output and the end are shown', async () => {
    expect(await ran('echo out; echo err >&2; exit 2')).toMatchObject({ text: 'out\n[stderr]\nerr\n[exit 2]', isError: true });
    expect((await ran('kill -9 $$')).text).toBe('(no output), killed by SIGKILL');
  });

  test('the time limit and what was left behind are named', async () => {
    context = { ...context, commandTimeout: 200 };
    expect(await ran('echo begun; sleep 3040')).toMatchObject({ isError: true });
    expect((await ran('echo begun; sleep 3040')).text).toMatch(/^begun\n\[ended at the time limit of 0.2 s\]/);
    context = { ...context, commandTimeout: 5000 };
    expect((await ran('sleep 3050 & echo done')).text).toMatch(/^done\n\[exit 0\]\n\[It left processes .*: sleep 3050\]$/);
  });

  test('a flood is cut to head and tail', async () => {
    const { text } = await ran('seq 1 200000');
    expect(text.length).toBeLessThan(30_000);
    expect(text).toMatch(/^1\n2\n/);
    expect(text).toMatch(/\n\[\.\.\. \d+ bytes left out \.\.\.\]\n/);
    expect(text).toMatch(/\n200000\n\[exit 0\]$/);
  });
});
