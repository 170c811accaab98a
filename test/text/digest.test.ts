import fc from 'fast-check';
import { expect, test } from 'vitest';
import { bytesDigest, contentDigest, itemDigest } from '../../src/text/digest.ts';
import { setFrontMatter } from '../../src/text/set-front-matter.ts';
import { hostileText } from './hostile-text.ts';

const story = '---\nkind: story\nid: story-a\n---\n\n# Story: A\n\ntext\n';

test('bytes have the digest that other tools give them', () => {
  expect(bytesDigest(new TextEncoder().encode('abc'))).toBe('sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
});

test.each([
  ['a byte order mark', `\uFEFF${story}`],
  ['CRLF', story.replaceAll('\n', '\r\n')],
  ['CR CR LF', story.replaceAll('\n', '\r\r\n')],
  ['CR', story.replaceAll('\n', '\r')],
  ['trailing blanks', story.replaceAll('\n', ' \t\n')],
  ['further blank lines', story.replaceAll('\n\n', '\n\n\n\n')],
  ['a missing final line end', story.trimEnd()],
  ['its own derivedFrom', setFrontMatter(story, 'derivedFrom', { 'brief.md': 'sha256:1', 'story-a.md#AC-1': 'sha256:2' })],
])('%s does not count for freshness', (_, twin) => {
  expect(twin).not.toBe(story);
  expect(contentDigest(twin)).toBe(contentDigest(story));
});

test('a front matter of nothing but derivedFrom counts as none', () => {
  expect(contentDigest(setFrontMatter('# A\n', 'derivedFrom', { a: 'b' }))).toBe(contentDigest('# A\n'));
});

test.each([story.replace('text', 'texts'), story.replace('story-a', 'story-b'), story.replace('\n\ntext', '\ntext')])(
  'other words count: %j',
  (other) => {
    expect(contentDigest(other)).not.toBe(contentDigest(story));
  },
);

test('any text has a digest that its CRLF twin shares', () => {
  fc.assert(
    fc.property(hostileText, (text) => {
      const lines = text.replace(/\r/g, '');
      expect(contentDigest(lines.replaceAll('\n', '\r\n'))).toBe(contentDigest(lines));
      expect(itemDigest(`${lines}\n\n`)).toBe(itemDigest(lines));
    }),
  );
});

test('a derivedFrom that cannot be taken out alone is part of the digest, not an error', () => {
  expect(contentDigest('---\nderivedFrom: &x a\nb: *x\n---\n')).toMatch(/^sha256:/);
});
