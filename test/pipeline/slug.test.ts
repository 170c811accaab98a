import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { UsageError } from '../../src/errors.ts';
import { SLUG_BYTES, toSlug } from '../../src/pipeline/slug.ts';

describe('a slug', () => {
  it.each([
    ['Login', 'login'],
    ['  Suche nach Notizen ', 'suche-nach-notizen'],
    ['登录', '登录'],
    ['ログイン', 'ログイン'],
    ['로그인', '로그인'],
    ['вход', 'вход'],
    ['Cafe\u0301', 'café'],
    ['🚀', '🚀'],
  ])('of %j is %j', (name, slug) => {
    expect(toSlug(name)).toBe(slug);
  });

  it.each([
    '',
    '  ',
    '.',
    '..',
    '../x',
    'a/b',
    'a\\b',
    '-x',
    '.git',
    'con',
    'LPT1',
    'a;b',
    '$(x)',
    'a\u0000b',
    'a\u200Bb',
    'x.lock',
    'a..b',
    '\uD800',
    'x'.repeat(SLUG_BYTES + 1),
  ])('is refused for %j', (name) => {
    expect(() => toSlug(name)).toThrow(UsageError);
  });

  it('is one safe path segment and its own slug, whatever the name', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 40 }), (name) => {
        let slug: string;
        try {
          slug = toSlug(name);
        } catch (error) {
          expect(error).toBeInstanceOf(UsageError);
          return;
        }
        expect(slug).toMatch(/^[^/\\\s\p{Cc}.-][^/\\\s\p{Cc}]*$/u);
        expect(toSlug(slug)).toBe(slug);
      }),
    );
  });
});
