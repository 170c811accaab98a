import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createCappedOutput } from '../../src/util/capped-output.ts';

test('no limit from 1 to 60 cuts a character in two', () => {
  const text = 'aé✓😀'.repeat(40);
  for (let limit = 1; limit <= 60; limit += 1) {
    const output = createCappedOutput(limit);
    output.add(Buffer.from(text));
    expect(output.text()).not.toContain('�');
    expect(Buffer.from(output.text()).toString()).toBe(output.text());
  }
});

test('however the bytes arrive, the text is the same, and what is kept and left out adds up', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'grapheme', maxLength: 200 }),
      fc.integer({ min: 1, max: 120 }),
      fc.integer({ min: 1, max: 50 }),
      (text, limit, step) => {
        const bytes = Buffer.from(text);
        const whole = createCappedOutput(limit);
        whole.add(bytes);
        const pieces = createCappedOutput(limit);
        for (let start = 0; start < bytes.length; start += step) pieces.add(bytes.subarray(start, start + step));
        expect(pieces.text()).toBe(whole.text());
        expect(pieces.bytes).toBe(bytes.length);
        if (bytes.length <= limit) {
          expect(whole.text()).toBe(text);
          return;
        }
        const [, head, count, tail] = /^([^]*)\n\[\.\.\. (\d+) bytes left out \.\.\.\]\n([^]*)$/.exec(whole.text()) ?? [];
        expect(Buffer.byteLength(head ?? '') + Number(count) + Buffer.byteLength(tail ?? '')).toBe(bytes.length);
      },
    ),
  );
});

test('bytes that are no UTF-8 become replacement characters', () => {
  const output = createCappedOutput(100);
  output.add(Uint8Array.of(0x61, 0xff, 0xed, 0xa0, 0x80, 0x62));
  expect(output.text()).toMatch(/^a�+b$/);
});
