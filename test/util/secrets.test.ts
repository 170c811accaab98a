import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRedactor, parseDotEnv, secretValues } from '../../src/util/secrets.ts';

describe('secretValues', () => {
  it.each([
    ['an API key, whatever it looks like', { MY_API_KEY: 'abcdefg1' }, ['abcdefg1']],
    ['an API key with blanks around it', { ANTHROPIC_API_KEY: ' sk-ant-0123 \n' }, ['sk-ant-0123']],
    ['a token that looks like one', { X_TOKEN: 'abc123abc123abc123' }, ['abc123abc123abc123']],
    ['an address with a password', { DB: 'postgres://u:fakepass@h/db' }, ['postgres://u:fakepass@h/db']],
    ['a header of the SDK', { ANTHROPIC_CUSTOM_HEADERS: 'x-proxy: abc123abc123abc123\nx: y' }, ['abc123abc123abc123']],
  ])('tells %s', (_, variables, values) => {
    expect(secretValues(variables)).toEqual(expect.arrayContaining(values));
  });

  it.each([
    { DB_PASSWORD: 'postgres' },
    { GIT_AUTHOR_NAME: 'Ada Lovelace 1815 of London' },
    { X_TOKEN: '' },
    { HOME: '/home/a1b2c3d4e5f6g7h8' },
  ])('leaves plain words: %j', (variables) => expect(secretValues(variables)).toEqual([]));

  it('tells every line of a private key', () => {
    const lines = ['MIIEvQIBADANBgkqhkiG9w0BAQEFAASC', 'BKcwggSjAgEAAoIBAQDX7a2b3c4d5e6f'];
    const values = secretValues({ SIGNING_KEY: `-----BEGIN PRIVATE KEY-----\n${lines.join('\n')}\n-----END PRIVATE KEY-----` });
    expect(values).toEqual(expect.arrayContaining(lines));
  });
});

describe('parseDotEnv', () => {
  it('reads assignments, quotes, exports and values over lines', () => {
    const text = '# one\nA=1 # two\nexport B="x y"\n C = \'z\'\nD="-----BEGIN\nabc\n-----END"\nnot one\n';
    expect(parseDotEnv(text)).toEqual({ A: '1', B: 'x y', C: 'z', D: '-----BEGIN\nabc\n-----END' });
  });
});

describe('a redactor', () => {
  const key = 'sk-ant-api03-0123456789abcdefghijklmnopqrstuv';

  it('leaves no part of a key that a cap has cut through', () => {
    const redact = createRedactor([key]);
    fc.assert(
      fc.property(fc.integer({ min: 16, max: key.length }), fc.string(), fc.string(), (kept, before, after) => {
        expect(redact(`${before}${key.slice(0, kept)}\n[... 9 bytes left out ...]`)).not.toContain(key.slice(0, kept));
        expect(redact(`[... 9 bytes left out ...]\n${key.slice(-kept)} ${after}`)).not.toContain(key.slice(-kept));
      }),
    );
  });

  it('leaves what only begins or ends like a key', () => {
    const redact = createRedactor([key]);
    for (const text of [`${key.slice(0, 20)}-is-how-keys-begin`, `see x${key.slice(-20)} there`]) expect(redact(text)).toBe(text);
  });

  it('leaves everything else as it is', () => {
    const redact = createRedactor([key]);
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(redact(text)).toBe(text);
      }),
    );
    expect(redact(`a ${key} b ${key}`)).toBe('a [redacted] b [redacted]');
  });
});
