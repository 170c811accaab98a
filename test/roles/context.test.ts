import fc from 'fast-check';
import { expect, test } from 'vitest';
import { curateContext } from '../../src/roles/context.ts';
import { estimateTokens } from '../../src/text/tokens.ts';

const input = (name: string, kind: string, bytes = 5) => ({ name, kind, text: 'x'.repeat(bytes) });

test('inputs come in the order of kinds, then by name in code-unit order, others last', () => {
  const inputs = [input('b', 'story'), input('z', 'brief'), input('a', 'story'), input('B', 'story'), input('q', 'unlisted')];
  const { kept } = curateContext(inputs, { order: ['brief', 'story'], budget: 1000 });
  expect(kept.map(({ name }) => name)).toEqual(['z', 'B', 'a', 'b', 'q']);
});

test('an input that does not fit is left out whole and named, and a smaller one after it is still given', () => {
  const inputs = [input('big', 'brief', 100), input('exact', 'story', 20), input('none-left', 'report', 3)];
  const { kept, leftOut } = curateContext(inputs, { order: ['brief', 'story', 'report'], budget: 8 });
  expect(kept).toEqual([input('exact', 'story', 20)]);
  expect(leftOut).toEqual(['big', 'none-left']);
});

test('a token is two and a half bytes of UTF-8', () => {
  expect(estimateTokens('x'.repeat(5))).toBe(2);
  expect(estimateTokens('€€€€€')).toBe(6);
});

test('the same inputs in any order give the same context within its budget', () => {
  const anyInput = fc.record({
    name: fc.string({ maxLength: 3 }),
    kind: fc.constantFrom('brief', 'story', 'x'),
    text: fc.string({ unit: 'binary', maxLength: 30 }),
  });
  const scene = fc
    .uniqueArray(anyInput, { selector: ({ name }) => name })
    .chain((inputs) => fc.tuple(fc.constant(inputs), fc.shuffledSubarray(inputs, { minLength: inputs.length })));
  fc.assert(
    fc.property(scene, fc.nat(60), ([inputs, shuffled], budget) => {
      const options = { order: ['story', 'brief'], budget };
      const result = curateContext(inputs, options);
      expect(curateContext(shuffled, options)).toEqual(result);
      expect(result.kept.length + result.leftOut.length).toBe(inputs.length);
      expect(result.kept.reduce((sum, { text }) => sum + estimateTokens(text), 0)).toBeLessThanOrEqual(budget);
    }),
  );
});
