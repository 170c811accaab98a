import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import { UsageError } from '../../src/errors.ts';
import { renderFrontMatter, splitFrontMatter } from '../../src/text/front-matter.ts';
import { setFrontMatter } from '../../src/text/set-front-matter.ts';
import { hostileText } from './hostile-text.ts';

declare global {
  var frontMatterHasRun: boolean | undefined;
}
afterEach(() => {
  globalThis.frontMatterHasRun = undefined;
});

describe('reading', () => {
  test('gives data, body and where the body starts', () => {
    expect(splitFrontMatter('---\nkind: story\n---\n\n# A\n')).toEqual({
      ok: true,
      data: { kind: 'story' },
      present: true,
      body: '\n# A\n',
      bodyOffset: 20,
      bodyLine: 4,
    });
  });

  test.each(['\uFEFF---\na: 1\n---\nx\n', '---\r\na: 1\r\n---\r\nx\r\n', '---\r\r\na: 1\r\r\n---\r\r\nx\r\r\n', '--- \na: 1\n---\t\nx\n'])(
    'sees the same in %j',
    (text) => {
      expect(splitFrontMatter(text)).toMatchObject({ ok: true, data: { a: 1 }, body: 'x\n', bodyLine: 4 });
    },
  );

  test.each(['---js\n', '---javascript\n', '---JS\n', '--- js\n'])('never runs the JavaScript behind %j', (opening) => {
    const text = `${opening}{ a: (globalThis.frontMatterHasRun = true) }\n---\nbody\n`;
    expect(splitFrontMatter(text)).toMatchObject({ ok: false });
    expect(globalThis.frontMatterHasRun).toBeUndefined();
  });

  test('an unquoted colon is a fault with its place and a way to mend it', () => {
    const text = '---\nkind: story\ntitle: Login: the lock\n---\n';
    const expected = { ok: false, fault: { line: 3, column: 8, hint: 'Quote the value: `key: "value: more"`.' } };
    expect(splitFrontMatter(text)).toMatchObject(expected);
    // A parser with a cache would be content the second time.
    expect(splitFrontMatter(text)).toMatchObject(expected);
  });

  test.each([
    ['---\na: 1\na: 2\n---\n', 3, /unique/],
    ['---\njust text\n---\n', 1, /no mapping/],
    ['---\n- a\n---\n', 1, /no mapping/],
    ['---\na: *b\n---\n', 1, /Unexpected front matter/],
    ['---\nkind: story\n\n# Title\n', 1, /expected a line of `---`/],
  ])('%j is a fault on its line', (text, line, message) => {
    expect(splitFrontMatter(text)).toMatchObject({ ok: false, fault: { line, message: expect.stringMatching(message) } });
  });

  test('a rule at the start of a text is no front matter', () => {
    expect(splitFrontMatter('---\n\ntext\n')).toMatchObject({ ok: true, present: false, body: '---\n\ntext\n' });
  });

  test('dates and numbers with a leading zero stay what was written', () => {
    expect(splitFrontMatter('---\nday: 2024-01-01\nmode: 0o755\n---\n')).toMatchObject({ data: { day: '2024-01-01' } });
  });

  test('never throws', () => {
    fc.assert(fc.property(hostileText, hostileText, (yaml, body) => void splitFrontMatter(`---\n${yaml}\n---\n${body}`)));
  });
});

test('what was rendered is read back', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.stringMatching(/^[a-z]{1,8}$/), fc.oneof(fc.string(), fc.array(fc.string()), fc.integer())), (record) => {
      const plain = { ...record };
      expect(splitFrontMatter(renderFrontMatter(plain))).toMatchObject({ ok: true, data: plain, body: '' });
    }),
  );
});

describe('setting a key', () => {
  const file =
    '\uFEFF---\r\n# who\r\nkind:  "story" # why\r\nderivedFrom:\r\n  a: b\r\n# next\r\n\r\nid: \'x\'\r\n---\r\nbody  \r\n\r\n\r\nend';

  test('keeps all other bytes', () => {
    expect(setFrontMatter(file, 'kind', 'report')).toBe(file.replace('kind:  "story"', 'kind: report'));
    expect(setFrontMatter(file, 'derivedFrom', { c: 'd', e: 'f' })).toBe(file.replace('  a: b', '  c: d\r\n  e: f'));
    expect(setFrontMatter(file, 'derivedFrom', undefined)).toBe(file.replace('derivedFrom:\r\n  a: b\r\n', ''));
    expect(setFrontMatter(file, 'more', 1)).toBe(file.replace("id: 'x'\r\n", "id: 'x'\r\nmore: 1\r\n"));
  });

  test('works on doubled carriage returns', () => {
    expect(setFrontMatter('---\r\r\na: 1\r\r\nb: 2\r\r\n---\r\r\nx', 'a', 3)).toBe('---\r\r\na: 3\r\r\nb: 2\r\r\n---\r\r\nx');
  });

  test('adds a front matter where there is none', () => {
    expect(setFrontMatter('\uFEFF# A\n', 'a', 1)).toBe('\uFEFF---\na: 1\n---\n\n# A\n');
  });

  test('sets the key and nothing else, for any front matter and body', () => {
    const values = fc.oneof(
      fc.string({ maxLength: 12 }),
      fc.dictionary(fc.stringMatching(/^[a-z]{1,4}$/), fc.string({ maxLength: 6 })),
      fc.integer(),
      fc.constant(null),
    );
    const records = fc.uniqueArray(fc.tuple(fc.stringMatching(/^[a-z]{1,4}$/), values), { selector: ([key]) => key, maxLength: 4 });
    fc.assert(
      fc.property(
        records,
        fc.stringMatching(/^[a-z]{1,4}$/),
        values,
        hostileText,
        fc.constantFrom('\n', '\r\n'),
        (entries, key, value, body, end) => {
          const text = renderFrontMatter(Object.fromEntries(entries)).replaceAll('\n', end);
          const before = splitFrontMatter(text);
          const changed = setFrontMatter(text + body, key, value);
          expect(changed.endsWith(body)).toBe(true);
          const after = splitFrontMatter(changed.slice(0, changed.length - body.length));
          expect(after).toMatchObject({ ok: true, data: { ...(before.ok ? before.data : {}), [key]: value } });
        },
      ),
    );
  });

  test.each(['---\na: &x 1\nb: *x\n---\n', '---\n? a\n: 1\n---\n'])('refuses rather than harm %j', (text) => {
    expect(() => setFrontMatter(text, 'a', 2)).toThrow(/can be changed alone/);
  });

  test('a mapping in braces is changed too', () => {
    expect(splitFrontMatter(setFrontMatter('---\n{ a: 1, b: 2 }\n---\nx', 'a', 3))).toMatchObject({ data: { a: 3, b: 2 }, body: 'x' });
  });

  test('a front matter that cannot be read is refused with its place', () => {
    expect(() => setFrontMatter('---\na: b: c\n---\n', 'x', 1)).toThrow(UsageError);
  });
});
