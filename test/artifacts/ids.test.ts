import fc from 'fast-check';
import { expect, test } from 'vitest';
import { allocateIds, allocateStoryId, carriesId, isStoryId, parseQualifiedId } from '../../src/artifacts/ids.ts';
import { hostileText } from '../text/hostile-text.ts';

test('any title leads to a story id that can be a file name', () => {
  fc.assert(
    fc.property(fc.oneof(hostileText, fc.string({ unit: 'grapheme', maxLength: 200 })), (title) => {
      const id = allocateStoryId(title, new Set());
      expect(id).toSatisfy(isStoryId);
      expect(new TextEncoder().encode(`${id}-2.md`).length).toBeLessThanOrEqual(255);
      expect(allocateStoryId(title, new Set([id]))).toBe(`${id}-2`);
    }),
  );
});

test('a qualified id is read in any spelling', () => {
  expect(parseQualifiedId(' story-login:ac01 ')).toEqual({ story: 'story-login', criterion: 'AC-1' });
  for (const bad of ['AC-1', 'login:AC-1', 'story-login:', 'story-login:R-1', ':', 'story-a b:AC-1'])
    expect(parseQualifiedId(bad)).toBeUndefined();
});

test('a title carries an id only as a whole', () => {
  expect(carriesId('Login story-login:AC-1 works', 'story-login:AC-1')).toBe(true);
  expect(carriesId('story-login:AC-12, story-login:AC-1.', 'story-login:AC-1')).toBe(true);
  expect(carriesId('story-login:AC-12', 'story-login:AC-1')).toBe(false);
  expect(carriesId('my-story-login:AC-1', 'story-login:AC-1')).toBe(false);
});

test('over any history no id is ever given twice to different entries', () => {
  const step = fc.record({ keep: fc.array(fc.nat(5), { maxLength: 3 }), fresh: fc.nat(3) });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 6 }), (steps) => {
      let known: string[] = [];
      let retired: string[] = [];
      const ever = new Set<string>();
      for (const { keep, fresh } of steps) {
        const kept = [...new Set(keep)].flatMap((index) => known[index] ?? []);
        const items = [...kept.map((id) => ({ id })), ...Array.from({ length: fresh }, () => ({}))];
        const result = allocateIds('AC', items, { known, retired }, 'criteria');
        const ids = result.items.map(({ id }) => id);
        expect(ids.slice(0, kept.length)).toEqual(kept);
        for (const id of ids.slice(kept.length)) expect(ever.has(id)).toBe(false);
        for (const id of ids) ever.add(id);
        known = ids;
        retired = result.retired;
        expect([...known, ...retired].toSorted()).toEqual([...ever].toSorted());
      }
    }),
  );
});
