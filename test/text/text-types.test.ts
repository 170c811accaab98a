import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { block, canonicalBlock, canonicalLine, canonicalPath, line, path } from '../../src/text/text-types.ts';
import { hostileText } from './hostile-text.ts';

function messageOf(schema: z.ZodType, value: unknown): string | undefined {
  return schema.safeParse(value).error?.issues[0]?.message;
}

describe('a line', () => {
  test('is one line without control characters, whatever it was made from', () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        const result = canonicalLine(text);
        expect(result).not.toMatch(/[\p{Cc}\p{Surrogate}\u2028\u2029]/u);
        expect(result).toBe(result.trim());
        expect(canonicalLine(result)).toBe(result);
      }),
    );
  });

  test('joins what stood on several lines by single spaces', () => {
    expect(line().parse(' one\r\n  two\u0000\tthree ')).toBe('one two three');
  });

  test('is refused when it is empty or too long', () => {
    expect(messageOf(line(), ' \n ')).toBe('Unexpected empty text, expected one line');
    expect(messageOf(line({ max: 3 }), 'four')).toBe('Unexpected 4 characters, expected at most 3');
  });

  test('replaces lone surrogates and keeps pairs', () => {
    expect(line().parse('a\ud83db😀')).toBe('a\ufffdb😀');
  });
});

describe('a block', () => {
  test('has one form, and taking that form twice changes nothing', () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        expect(canonicalBlock(canonicalBlock(text))).toBe(canonicalBlock(text));
      }),
    );
  });

  test.each([
    ['text\n\n## Foo', 'Unexpected heading "Foo" in a text block, expected paragraphs, lists, tables or code'],
    ['Foo\n===', 'Unexpected heading "Foo" in a text block, expected paragraphs, lists, tables or code'],
    ['---\na: 1\n---\n\ntext', 'Unexpected front matter in a text block, expected paragraphs, lists, tables or code'],
    ['[a]: /b', 'Unexpected definition "[a]: /b" in a text block, expected links written in place'],
    ['> [a]: /b', 'Unexpected definition "[a]: /b" in a text block, expected links written in place'],
    ['[^1]: note', 'Unexpected definition "[^1]: note" in a text block, expected links written in place'],
    ['text\n\n```js\ncode', 'Unexpected open code fence on line 3 of a text block, expected it to be closed'],
    ['<!-- note', 'Unexpected open HTML on line 1 of a text block, expected it to be closed'],
  ])('is refused for %j', (text, message) => {
    expect(messageOf(block(), text)).toBe(message);
  });

  test.each([
    '- a\n  - b\n\n1. c',
    '| a |\n| - |\n| b |',
    '```md\n# not a heading\n```',
    '> # quoted',
    '<!-- note -->\n\n---\n\ntext',
    '    code\n    more',
  ])('keeps %j as it is', (text) => {
    expect(block().parse(`\n\n${text}\n \n`)).toBe(text);
  });
});

describe('a path', () => {
  test.each([
    ['.\\src\\a.ts', 'src/a.ts'],
    ['./a//b', 'a/b'],
    ['ünï/日本 x.md', 'ünï/日本 x.md'],
  ])('%j becomes %j', (given, expected) => {
    expect(path().parse(given)).toBe(expected);
  });

  test.each(['../a', 'a/../b', '/etc', 'C:\\x', 'a`b', 'a\nb', ' ', '..\\a', '.'])('%j is refused', (given) => {
    expect(messageOf(path(), given)).toMatch(/^Unexpected .*path from the project root/);
  });

  test('has one form', () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        expect(canonicalPath(canonicalPath(text))).toBe(canonicalPath(text));
      }),
    );
  });
});

test('all text types can be described as JSON Schema', () => {
  const schema = z.toJSONSchema(z.strictObject({ line: line({ max: 9 }), block: block(), path: path() }), { io: 'input' });
  expect(schema).toMatchObject({
    required: ['line', 'block', 'path'],
    properties: { line: { type: 'string', minLength: 1, maxLength: 9 } },
  });
});
