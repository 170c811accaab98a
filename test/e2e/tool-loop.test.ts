import { execFileSync } from 'node:child_process';
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { Answer } from '../fakes/messages-api.mjs';
import { answersWith, apiProject, KEY, type ApiProject } from '../helpers/api.ts';
import { journalsOf, REPOSITORY, runCli } from '../helpers/project.ts';
import { BRIEF_TEXT } from '../helpers/small.ts';

let subject: ApiProject | undefined;
afterEach(async () => {
  await subject?.end();
  subject = undefined;
});

type Call = [id: string, tool: string, input: Record<string, unknown>];

/** One reply of a model: these calls, in this order. */
const reply = (...calls: Call[]): Answer => ({ content: calls.map(([id, name, input]) => ({ type: 'tool_use', id, name, input })) });
const command = (id: string, line: string): Call => [id, 'run_command', { command: line }];

interface Told {
  text: string;
  isError: boolean;
  /** When the request arrived that held it, in milliseconds. */
  at: number;
}

/** What the model was told of its calls in the requests that followed, by the id of the call. */
function results(): Record<string, Told> {
  const told: Record<string, Told> = {};
  for (const { body, at } of subject?.api.requests ?? []) {
    const content = (body as { messages: { content: unknown }[] }).messages.at(-1)?.content;
    if (!Array.isArray(content)) continue;
    for (const block of content as { type: string; tool_use_id: string; content: string | { text: string }[]; is_error?: boolean }[]) {
      if (block.type !== 'tool_result') continue;
      const text = typeof block.content === 'string' ? block.content : block.content.map((part) => part.text).join('');
      told[block.tool_use_id] = { text, isError: block.is_error === true, at };
    }
  }
  return told;
}

/** Command lines of the living processes of this machine that hold a text. */
function running(marker: string): string[] {
  const table = execFileSync('ps', ['-A', '-o', 'stat=,args='], { encoding: 'utf8' });
  return table.split('\n').filter((line) => line.includes(marker) && !line.startsWith('Z'));
}

/** Everything that was sent to the model, and every line of a journal. */
function stored(): unknown[] {
  return [...(subject?.api.requests ?? []).map(({ body }) => body), ...journalsOf(subject?.project.root ?? '').flat()];
}

/** Seconds that nobody else sleeps: names the processes of one case. */
const seconds = (number: number): string => `300.${number}${process.pid}`;

/** A command that says how many processes of a case are there. */
const count = (marker: string): string => `ps -A -o args= | grep -c "^[s]leep ${marker}"`;

describe('a command', () => {
  it('is capped, ended with all that it started, told as it ended, and shows no key', async () => {
    const [server, orphan] = [seconds(46), seconds(59)];
    const memory = 'grep VmHWM /proc/$PPID/status || true';
    subject = await apiProject(
      answersWith({
        implement: [
          reply(
            command('before', memory),
            command('flood', 'echo first; yes 0123456789012345678901234567890123456789 | head -c 50000000; echo last'),
            command('after', memory),
            command('silent', 'exit 1'),
            command('silent-grep', 'grep -q zzz /dev/null'),
          ),
          reply(
            command('server', `sleep ${server} & echo started`),
            command('ticker', `while :; do echo tick; sleep 0.1; done & sleep ${server} & sleep 0.3; echo front done`),
          ),
          reply(
            command('served', count(server)),
            command('orphans', `(sleep ${orphan}; echo) & (trap "" TERM; sleep ${orphan}) & sleep 0.3; ${count(orphan)}; wait`),
          ),
          reply(
            ['env-read', 'read_file', { path: '.env' }],
            ['env-link', 'read_file', { path: 'settings.txt' }],
            ['env-write', 'write_file', { path: '.env', content: 'MODE=mine\n' }],
            ['env-search', 'search_files', { query: 'fake' }],
            command('env', 'env'),
            command('env-error', 'cat .env >&2; exit 3'),
          ),
        ],
      }),
    );
    const { project, api } = subject;
    // For the role alone: the tests that the program runs have all their time.
    const role = readFileSync(join(REPOSITORY, 'agents/developer.md'), 'utf8');
    project.write('.blueprint/agents/developer.md', role.replace('limits: {', 'limits: { commandSeconds: 2,'));
    const secrets = 'API_TOKEN=fake-token-0123456789abcdef\nexport DB="postgres://u:fakepass@h/db"\n';
    project.write('.env', secrets);
    symlinkSync('.env', join(project.root, 'settings.txt'));

    const ended = await subject.feature();
    expect(ended).toMatchObject({ code: 0 });
    expect(api.refusals).toEqual([]);
    const told = results();

    // 50 MB: head and tail, how many bytes are missing between them, the exit code. What is dropped takes no memory.
    const flooded = told['flood']?.text ?? '';
    const [note = '', missing] = /\n\[\.\.\. (\d+) bytes left out \.\.\.\]\n/.exec(flooded) ?? [];
    expect(flooded.startsWith('first\n0123456789')).toBe(true);
    expect(flooded.endsWith('\n01234567last\n[exit 0]')).toBe(true);
    expect(flooded.length).toBeLessThan(30_000);
    // The last line end of the output is not shown.
    expect(flooded.length - `${note}[exit 0]`.length + Number(missing)).toBe(50_000_000 + 'first\nlast\n'.length);
    const [before, after] = ['before', 'after'].map((id) => Number(/VmHWM:\s+(\d+) kB/.exec(told[id]?.text ?? '')?.[1]));
    if (process.platform === 'linux') expect((after ?? NaN) - (before ?? NaN)).toBeLessThan(40_000);

    expect(told['silent']).toMatchObject({ text: '(no output), exit 1', isError: true });
    expect(told['silent-grep']).toMatchObject({ text: '(no output), exit 1', isError: true });

    // The shell is waited for, and nobody who holds its pipes.
    expect(told['server']).toMatchObject({
      text: `started\n[exit 0]\n[It left processes in the background, which were ended: sleep ${server}]`,
      isError: false,
    });
    expect(told['ticker']?.text).toMatch(/front done\n[^]*\[exit 0\]\n\[It left processes in the background, which were ended: .*sleep/);
    expect((told['ticker']?.at ?? NaN) - (told['silent']?.at ?? NaN)).toBeLessThan(4000);
    expect(told['served']?.text).toBe('0\n[exit 1]');
    expect(running(`sleep ${server}`)).toEqual([]);

    // Both grandchildren were there, and one of them does not listen to SIGTERM.
    expect(told['orphans']).toMatchObject({
      text: expect.stringMatching(/^2\n\[ended at the time limit of 2 s\]/) as string,
      isError: true,
    });
    expect(running(`sleep ${orphan}`)).toEqual([]);

    for (const id of ['env-read', 'env-link', 'env-write'])
      expect(told[id]).toMatchObject({ text: expect.stringContaining('it may hold secrets') as string, isError: true });
    expect(told['env-search']?.text).toBe('(no matches)');
    expect(told['env']?.text).toContain('CI=1');
    expect(told['env']?.text).not.toMatch(/^ANTHROPIC_/m);
    expect(told['env-error']?.text).toBe('[stderr]\nAPI_TOKEN=[redacted]\nexport DB="[redacted]"\n[exit 3]');
    expect(project.read('.env')).toBe(secrets);
    const status = await project.run('status', 'farewell');
    expect(ended.stdout + ended.stderr + status.stdout).not.toMatch(/fake-token|fakepass|sk-ant/);
    const holders = execFileSync('sh', ['-c', `grep -rlE "fake-token|fakepass|${KEY}" . || true`], { cwd: dirname(project.root) });
    expect(holders.toString()).toBe('./project/.env\n');
  });
});

describe('a file tool', () => {
  it('follows no link out of the project, and leaves line ends as they are', async () => {
    const lines = { oldText: 'one\ntwo', newText: 'one\n2' };
    const content = 'mine\n';
    // The replies name the folder, which is not there yet.
    subject = await apiProject((body, index, headers) => answer(body, index, headers));
    const { project, api } = subject;
    const [outside, link] = [join(dirname(project.root), 'outside'), join(dirname(project.root), 'link')];
    const answer = answersWith({
      implement: [
        reply(
          ['crlf', 'edit_file', { path: 'a.txt', ...lines }],
          ['crlf-longer', 'edit_file', { path: 'a.txt', oldText: 'three\n', newText: 'three\nfour\nfive\n' }],
          ['crlf-one-line', 'edit_file', { path: 'a.txt', oldText: 'five', newText: 'fünf\nsechs' }],
          ['mismatch', 'edit_file', { path: 'a.txt', oldText: 'three \nfor', newText: 'x' }],
        ),
        reply(
          ['out-read', 'read_file', { path: 'box/secret.txt' }],
          ['out-read-file', 'read_file', { path: 'peek.txt' }],
          ['out-read-dots', 'read_file', { path: 'in/../../outside/secret.txt' }],
          ['out-list', 'list_files', { path: 'box' }],
          ['out-search', 'search_files', { path: 'box', query: 'treasure' }],
          ['out-write', 'write_file', { path: 'box/new.txt', content }],
          ['out-replace', 'write_file', { path: 'box/secret.txt', content }],
          ['out-write-file', 'write_file', { path: 'peek.txt', content }],
          ['out-edit', 'edit_file', { path: 'box/secret.txt', oldText: 'treasure', newText: 'x' }],
          ['out-edit-file', 'edit_file', { path: 'peek.txt', oldText: 'treasure', newText: 'x' }],
          ['out-link-of-link', 'write_file', { path: 'hop/new.txt', content }],
          ['out-dangling', 'write_file', { path: 'note.txt', content }],
          ['out-dangling-folder', 'write_file', { path: 'gone/deep/note.txt', content }],
          ['out-dangling-edit', 'edit_file', { path: 'note.txt', oldText: 'a', newText: 'b' }],
        ),
        reply(
          ['walk', 'list_files', {}],
          ['walk-search', 'search_files', { query: 'treasure' }],
          ['in-write', 'write_file', { path: 'ok/new.txt', content }],
          ['in-read', 'read_file', { path: 'ok/new.txt' }],
          ['in-edit', 'edit_file', { path: 'ok/new.txt', oldText: 'mine', newText: 'ours' }],
          ['in-list', 'list_files', { path: 'ok' }],
          ['in-dangling', 'write_file', { path: 'soon.txt', content }],
          ['in-absolute', 'read_file', { path: join(link, 'in/new.txt') }],
          // Node's test runner stops at a link that leads nowhere.
          command('tidy', 'rm note.txt gone'),
        ),
      ],
    });
    project.write('a.txt', 'one\r\ntwo\r\nthree\r\n');
    project.git('add', 'a.txt');
    project.git('commit', '-q', '-m', 'Lines');
    mkdirSync(outside);
    writeFileSync(join(outside, 'secret.txt'), 'treasure\n');
    mkdirSync(join(project.root, 'in'));
    const links = { box: outside, 'peek.txt': '../outside/secret.txt', hop: 'box', 'note.txt': join(outside, 'new.txt') };
    const inner = { gone: '../outside/missing', ok: 'in', 'soon.txt': 'in/soon.txt' };
    for (const [name, target] of Object.entries({ ...links, ...inner })) symlinkSync(target, join(project.root, name));
    symlinkSync(project.root, link);

    // The root is a link as well.
    const ended = await runCli(['feature', 'farewell', '--brief', BRIEF_TEXT], { cwd: link, env: { ...project.env, PWD: link } });
    expect(ended).toMatchObject({ code: 0 });
    expect({ refused: api.refusals, failed: api.failures }).toEqual({ refused: [], failed: [] });
    const told = results();

    expect(project.read('a.txt')).toBe('one\r\n2\r\nthree\r\nfour\r\nfünf\r\nsechs\r\n');
    expect(told['crlf']).toMatchObject({ text: 'Edited "a.txt": 1 place.', isError: false });
    expect(told['mismatch']).toMatchObject({
      text: expect.stringContaining('closest lines are:\n3: three\n4: four\n') as string,
      isError: true,
    });

    const refused = Object.entries(told).filter(([id]) => id.startsWith('out-'));
    expect(refused).toHaveLength(14);
    for (const [id, one] of refused)
      expect([id, one]).toEqual([
        id,
        { text: expect.stringContaining('it leads outside the project') as string, isError: true, at: one.at },
      ]);
    expect(readdirSync(outside)).toEqual(['secret.txt']);
    expect(readFileSync(join(outside, 'secret.txt'), 'utf8')).toBe('treasure\n');
    expect(told['walk']?.text).not.toMatch(/box|peek|hop|note|gone/);
    expect(told['walk-search']?.text).toBe('(no matches)');
    expect(JSON.stringify(stored())).not.toContain('treasure\\n');

    for (const id of ['in-write', 'in-edit', 'in-dangling']) expect([id, told[id]?.isError]).toEqual([id, false]);
    expect(told['in-read']?.text).toBe('mine\n');
    expect(told['in-absolute']?.text).toBe('ours\n');
    expect(told['in-list']?.text).toBe('in/new.txt');
    expect(project.read('in/new.txt')).toBe('ours\n');
    expect(project.read('in/soon.txt')).toBe('mine\n');
    for (const name of ['ok', 'soon.txt', 'box', 'peek.txt']) expect(lstatSync(join(project.root, name)).isSymbolicLink()).toBe(true);
    expect(existsSync(join(outside, 'new.txt'))).toBe(false);
  });
});

/** Four bytes and two UTF-16 units for each: a limit in either unit falls within one when `shift` moves them. */
const emoji = (shift: number, times: number): string => 'a'.repeat(shift) + '🌤💼🏆📉🎯🚀🔥'.repeat(times);

/** Writes to both streams as much as is kept of each (28,000 bytes), and a little more on either side. */
function flood(id: string, shift: number): Call {
  const text = `'a'.repeat(n) + '🌤💼🏆📉🎯🚀🔥'.repeat(1000) + 'b'.repeat(n)`;
  return command(id, `node -e "const s = (n) => ${text}; process.stdout.write(s(${shift})); process.stderr.write(s(${shift + 1}))"`);
}

describe('a text that is cut', () => {
  it('is never cut within a character, in no request and no line of the journal', async () => {
    const deep = (shift: number): string => `../${'x'.repeat(shift)}${`${emoji(0, 7)}/`.repeat(3)}`;
    subject = await apiProject(
      answersWith({
        implement: [
          reply(flood('flood-0', 0), flood('flood-2', 2)),
          reply(['read-0', 'read_file', { path: 'even.txt' }]),
          reply(['read-1', 'read_file', { path: 'odd.txt' }]),
          reply(
            ['search', 'search_files', { query: 'needle', path: 'lines.txt' }],
            ['mismatch', 'edit_file', { path: 'lines.txt', oldText: 'needle b 🌤\nneedle b 🌤', newText: '' }],
            ['outside-0', 'read_file', { path: deep(0) }],
            ['outside-1', 'read_file', { path: deep(1) }],
          ),
        ],
      }),
      { config: 'anthropic: { contextWindow: 80000, maxOutput: 8000 }\nlimits: { tokens: 4000000 }\n' },
    );
    const { project, api } = subject;
    project.write('even.txt', emoji(0, 4400));
    project.write('odd.txt', emoji(1, 4400));
    project.write('lines.txt', `needle a ${emoji(0, 40)}\nneedle a ${emoji(1, 40)}\n`);

    const ended = await subject.feature();
    expect(ended).toMatchObject({ code: 0 });
    expect({ refused: api.refusals, failed: api.failures }).toEqual({ refused: [], failed: [] });

    const told = results();
    // The first of the four texts is just as long as the limit.
    const cuts = ['flood-0', 'flood-2'].map((id) => told[id]?.text.match(/bytes left out/g)?.length);
    expect(cuts).toEqual([1, 2]);
    for (const id of ['read-0', 'read-1']) expect(told[id]?.text).toMatch(/characters left out/);
    expect(JSON.stringify(told)).not.toContain('\uFFFD');
    expect(ended.stderr).toContain('older results shortened to fit the context');
    // JSON has an escape for half a pair, and none for a whole one.
    for (const one of stored()) expect(JSON.stringify(one)).not.toMatch(/\\u[dD][89a-fA-F]/);
  });
});
