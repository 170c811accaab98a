import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { reportError } from '../../src/cli/fail.ts';
import type { Io } from '../../src/cli/io.ts';
import { EngineError, InterruptedError, PersonNeededError, StateError } from '../../src/errors.ts';

const FACTS = { version: '1.2.3', node: '20.12.0', platform: 'linux x64', reportTo: 'https://example.com/issues' };

function report(error: unknown, { isJson = false, slug = undefined as string | undefined, signal = new AbortController().signal } = {}) {
  const told = { out: '', err: '' };
  const io = {
    out: (text: string) => void (told.out += text),
    err: (text: string) => void (told.err += text),
    program: () => FACTS,
  } as Partial<Io> as Io;
  return { code: reportError(error, { io, isJson, slug, signal }), ...told };
}

describe('reportError', () => {
  it('tells message, place and hint, each on its line', () => {
    const error = new StateError('The journal is damaged.', { place: 'journal.jsonl:3', hint: 'Go on with --accept-damage.' });
    expect(report(error)).toEqual({
      code: 5,
      out: '',
      err: 'error: The journal is damaged.\n  at journal.jsonl:3\n  Go on with --accept-damage.\n',
    });
  });

  it('ends --json with a result that holds only what there is', () => {
    const { code, out } = report(new PersonNeededError('Decide.'), { isJson: true });
    expect(code).toBe(3);
    expect(JSON.parse(out)).toEqual({ type: 'result', ok: false, exitCode: 3, error: { name: 'PersonNeededError', message: 'Decide.' } });
  });

  it.each([
    ['SIGINT', 130],
    ['SIGHUP', 130],
    ['SIGTERM', 143],
  ] as const)('%s ends with %i and says how to resume', (name, exitCode) => {
    const { code, err } = report(new InterruptedError(name), { slug: 'login' });
    expect(code).toBe(exitCode);
    expect(err).toContain('Resume with: blueprint resume login');
    expect(report(new InterruptedError(name)).err).not.toContain('resume');
  });

  it.each([
    ['login', 'login'],
    ['für-gäste', 'für-gäste'],
    ['Farewell — for guests', "'Farewell — for guests'"],
    ["it's $HOME", String.raw`'it'\''s $HOME'`],
  ])('names the feature %s so that the hint can be pasted into a shell', (slug, argument) => {
    const resume = `blueprint resume ${argument}\n`;
    expect(report(new InterruptedError('SIGINT'), { slug }).err).toContain(resume);
    expect(report(new EngineError('Refused.', { hint: 'Check the key.' }), { slug }).err).toContain(resume);
    expect(execFileSync('sh', ['-c', `printf %s ${argument}`], { encoding: 'utf8' })).toBe(slug);
  });

  it('takes a bare AbortError for the signal that caused it, and only then', () => {
    const controller = new AbortController();
    const abort = new DOMException('This operation was aborted', 'AbortError');
    expect(report(abort, { signal: controller.signal }).code).toBe(70);
    controller.abort(new InterruptedError('SIGTERM'));
    expect(report(abort, { signal: controller.signal }).code).toBe(143);
    expect(report(new TypeError('x is not a function'), { signal: controller.signal }).code).toBe(70);
  });

  it('shows a bug with its stack, its causes, the versions and where to report', () => {
    const { code, err } = report(new TypeError('x is not a function', { cause: new RangeError('too deep') }));
    expect(code).toBe(70);
    expect(err).toMatch(/^error: x is not a function\n\s+at .*fail\.test/);
    expect(err).toMatch(/caused by RangeError: too deep\n\s+at /);
    expect(err).toContain('blueprint 1.2.3, node 20.12.0, linux x64');
    expect(err).toContain('https://example.com/issues');
  });

  it.each([['text'], [undefined], [null], [{}]])('survives %j being thrown', (thrown) => {
    expect(report(thrown, { isJson: true }).code).toBe(70);
  });

  it('asks a person to mend a file system that refuses, and calls it no bug', () => {
    const { code, err } = report(Object.assign(new Error('ENOSPC: no space left'), { code: 'ENOSPC', path: '/x/y' }), { slug: 'login' });
    expect(code).toBe(3);
    expect(err).toContain('at /x/y');
    expect(err).toContain('blueprint resume login');
    expect(err).not.toContain('This is a bug');
  });

  it('lets no escape code of a foreign text through', () => {
    const { err } = report(new PersonNeededError('refused:\r\n\u001b[2J\u001b]0;title\u0007not on a Monday', { hint: 'a\u001b[31mb\nc' }));
    expect(err).toBe('error: refused:\nnot on a Monday\n  ab\n  c\n');
  });
});
