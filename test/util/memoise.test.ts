import { expect, it } from 'vitest';
import { memoise } from '../../src/util/memoise.ts';

it('computes once for each of the latest texts, and gives the same value', () => {
  const asked: string[] = [];
  const length = memoise((text) => ({ length: asked.push(text) }), 2);
  const first = length('a');
  expect(length('a')).toBe(first);
  length('b');
  length('a');
  length('c');
  length('a');
  expect(asked).toEqual(['a', 'b', 'c']);
  length('b');
  expect(asked).toEqual(['a', 'b', 'c', 'b']);
});
