import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findObjects, parseLooseJson } from '../../src/text/loose-json.ts';
import { REPOSITORY } from '../helpers/project.ts';

describe('near-JSON', () => {
  it('reads whatever JSON.parse reads, to the same value', () => {
    fc.assert(
      fc.property(fc.json({ noUnicodeString: false }), fc.constantFrom(undefined, 2), (text, indent) => {
        const pretty = JSON.stringify(JSON.parse(text), null, indent);
        expect(parseLooseJson(pretty)).toEqual({ ok: true, value: JSON.parse(pretty) as unknown });
      }),
    );
  });

  it.each([
    ['trailing commas', '{"a": [1, 2,], "b": {"c": 3,},}', { a: [1, 2], b: { c: 3 } }],
    ['comments', '{ // one\n "a": /* two */ 1 }\n// three', { a: 1 }],
    ['raw line ends and tabs in strings', '{"a": "x\n\ty"}', { a: 'x\n\ty' }],
    ['a byte order mark', '\uFEFF{"a": 1}', { a: 1 }],
    ['comment signs in strings', '{"a": "http://x /* y */"}', { a: 'http://x /* y */' }],
    ['escapes', String.raw`{"a": "\\d \" \u00e9 \n"}`, { a: '\\d " é \n' }],
  ])('tolerates %s', (_, text, value) => {
    expect(parseLooseJson(text)).toEqual({ ok: true, value });
  });

  it.each([
    ['single quotes', "{'rating': 4}", 1, 2],
    ['smart quotes', '{“rating”: 4}', 1, 2],
    ['a single-quoted value', '{\n  "a": \'x\'\n}', 2, 8],
    ['NaN', '{"rating": NaN}', 1, 12],
    ['Infinity', '{"rating": -Infinity}', 1, 12],
    ['a bare word', '{"city": Paris}', 1, 10],
    ['a key given twice', '{"rating": 1,\n "rating": 5}', 2, 2],
    ['a bad escape', String.raw`{"a": "\d"}`, 1, 8],
    ['a string that is cut off', '{"path": "a.md", "content": "# Sto', 1, 35],
    ['an object that is cut off', '{"path": "a.md",', 1, 17],
    ['something behind the value', '{"a": 1} {"b": 2}', 1, 10],
    ['a call', '{"a": alert(1)}', 1, 7],
    ['leading zeros', '{"a": 01}', 1, 7],
  ])('refuses %s with its place', (_, text, line, column) => {
    expect(parseLooseJson(text)).toMatchObject({ ok: false, line, column });
  });

  it('gives a key named __proto__ as a key', () => {
    const read = parseLooseJson('{"__proto__": {"polluted": true}}');
    expect(read).toMatchObject({ ok: true });
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
    expect(read.ok && Object.hasOwn(read.value as object, '__proto__')).toBe(true);
  });

  it('ends in time on a text of opening brackets', () => {
    expect(parseLooseJson('['.repeat(100_000)).ok).toBe(false);
    expect(findObjects('{'.repeat(100_000))).toEqual([]);
  });
});

describe('objects in a text', () => {
  it('are found behind prose with braces and quotes in it', () => {
    expect(findObjects('It mentions {braces} and "quotes".\n\n{"a": {"b": 1}}\n\nBye.')).toEqual([{ a: { b: 1 } }]);
  });

  it('are all given, in order', () => {
    expect(findObjects('Like {"a": 1}. Mine: ```json\n{"a": 2}\n```')).toEqual([{ a: 1 }, { a: 2 }]);
  });

  const cases = join(REPOSITORY, '..', 'shared', 'cases');
  it.skipIf(!existsSync(cases))('are read in the collected cases as their outcomes say', () => {
    const text = (path: string): string => readFileSync(join(cases, path), 'utf8');
    expect(findObjects(text('031-json-after-prose/input/reply.txt'))).toHaveLength(1);
    expect(findObjects(text('037-two-objects/input/reply.txt')).map(({ rating }) => rating)).toEqual([1, 5]);
    expect(parseLooseJson(text('034-json-loose-syntax/input/a.txt'))).toMatchObject({ ok: true });
    for (const name of 'bcde')
      expect(parseLooseJson(text(`034-json-loose-syntax/input/${name}.txt`))).toMatchObject({ ok: false, line: 1 });
  });
});
