import { describe, expect, test } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';
import { UsageError } from '../../src/errors.ts';

const load = (text: string | undefined) => loadConfig({ text, file: 'config.yaml' });

function faultOf(text: string): UsageError {
  try {
    load(text);
  } catch (error) {
    if (error instanceof UsageError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

const DEFAULTS = {
  systemSpec: '.blueprint/SYSTEM_SPEC.md',
  businessContext: '.business_context',
  stages: [],
  limits: { turns: 40, tokens: 400_000, minutes: 30, mendRounds: 2, commandSeconds: 120 },
  retry: { maxRetries: 3 },
  anthropic: { idleSeconds: 120, retries: 6, longestWaitSeconds: 60 },
  prices: {},
  run: {},
};

test.each([undefined, '', '# nothing yet\n', '\uFEFF', '---\n'])('defaults are all there is when the file is %j', (text) => {
  expect(load(text)).toEqual({ config: DEFAULTS, warnings: [] });
});

test('everything that can be set is read, and what is left out keeps its default', () => {
  const text = [
    'engine: transcript:replies.yaml',
    'systemSpec: docs/system.md',
    'businessContext: ./domain/',
    'test: { runner: node:test }',
    'verify: [npm run lint, "tsc --noEmit"]',
    'stages:',
    '  - { name: security-review, role: security, after: tests }',
    '  - { name: second-look, role: security, after: security-review }',
    'limits: { turns: 5, minutes: 0.5, mendRounds: 0 }',
    'contextTokens: 1',
    'retry: { maxRetries: 0 }',
    'anthropic:',
    '  { model: m-1, effort: high, baseUrl: "http://localhost:1", keyVariable: MY_API_KEY, endpoint: compatible,',
    '    contextWindow: 9000, maxOutput: 900, promptCache: true, thinking: false, idleSeconds: 1, retries: 0, longestWaitSeconds: 2 }',
    'prices: { m-1: { input: 1, output: 2 } }',
    'run: { budget: 2.5, turns: 9, minutes: 3 }',
  ].join('\r\n');
  expect(load(`\uFEFF${text}\r\n`).config).toEqual({
    engine: 'transcript:replies.yaml',
    systemSpec: 'docs/system.md',
    businessContext: 'domain',
    test: { runner: 'node:test' },
    verify: ['npm run lint', 'tsc --noEmit'],
    stages: [
      { name: 'security-review', role: 'security', after: 'tests' },
      { name: 'second-look', role: 'security', after: 'security-review' },
    ],
    limits: { turns: 5, tokens: 400_000, minutes: 0.5, mendRounds: 0, commandSeconds: 120 },
    contextTokens: 1,
    retry: { maxRetries: 0 },
    anthropic: {
      model: 'm-1',
      effort: 'high',
      baseUrl: 'http://localhost:1',
      keyVariable: 'MY_API_KEY',
      endpoint: 'compatible',
      contextWindow: 9000,
      maxOutput: 900,
      promptCache: true,
      thinking: false,
      idleSeconds: 1,
      retries: 0,
      longestWaitSeconds: 2,
    },
    prices: { 'm-1': { input: 1, output: 2 } },
    run: { budget: 2.5, turns: 9, minutes: 3 },
  });
});

describe('an unknown key is refused where it stands, with the nearest known one as the hint', () => {
  test.each([
    ['# one\nengin: transcript:a\n', 'config.yaml:2:1', 'Did you mean engine?'],
    ['limits:\n  turns: 4\n  minuts: 3\n', 'config.yaml:3:3', 'Did you mean minutes?'],
    ['test: { runer: vitest }', 'config.yaml:1:9', 'Did you mean runner?'],
    ['stages:\n  - { name: a, role: a, afterr: spec }\n', 'config.yaml:2:25', 'Did you mean after?'],
    ['\uFEFFsomething: 1', 'config.yaml:1:1', undefined],
  ])('%j', (text, place, hint) => {
    const fault = faultOf(text);
    expect(fault).toMatchObject({ place, hint, exitCode: 2 });
    expect(fault.message).toMatch(/^Expected one of the keys .*, got "/);
  });
});

describe('a wrong value is refused where it stands, with what was expected and what was found', () => {
  test.each([
    ['limits:\n  turns: many\n', 'config.yaml:2:10', 'Expected a whole number of at least 1 for limits.turns, got "many".'],
    ['limits: { turns: 1.5 }', 'config.yaml:1:18', 'Expected a whole number of at least 1 for limits.turns, got 1.5.'],
    ['limits: { minutes: 0 }', 'config.yaml:1:20', 'Expected a number of minutes above 0 and at most 10080 for limits.minutes, got 0.'],
    [
      'limits: { minutes: .inf }',
      'config.yaml:1:20',
      'Expected a number of minutes above 0 and at most 10080 for limits.minutes, got Infinity.',
    ],
    ['limits: none', 'config.yaml:1:9', 'Expected a mapping of keys to values for limits, got "none".'],
    ['retry: { maxRetries: -1 }', 'config.yaml:1:22', 'Expected a whole number of at least 0 for retry.maxRetries, got -1.'],
    ['engine: gpt', 'config.yaml:1:9', 'Expected transcript:<file>, anthropic or anthropic:<base URL> for engine, got "gpt".'],
    [
      'engine: "transcript:"',
      'config.yaml:1:9',
      'Expected transcript:<file>, anthropic or anthropic:<base URL> for engine, got "transcript:".',
    ],
    ['verify: npm test', 'config.yaml:1:9', 'Expected a list of command lines for verify, got "npm test".'],
    ['verify: [npm test, " "]', 'config.yaml:1:20', 'Expected a command line for verify[1], got " ".'],
    ['verify:\n  - {}\n', 'config.yaml:2:5', 'Expected a command line for verify[0], got a mapping.'],
    ['- a', 'config.yaml:1:1', 'Expected a mapping of keys to values, got a list.'],
  ])('%j', (text, place, message) => {
    expect(faultOf(text)).toMatchObject({ place, message, exitCode: 2 });
  });

  test.each(['/etc/passwd', '../other.md', 'a/../../b', 'C:/x.md', 'a\\b', ' '])('a path that is %j is outside the project', (path) => {
    const fault = faultOf(`systemSpec: ${JSON.stringify(path)}`);
    expect(fault).toMatchObject({ place: 'config.yaml:1:13' });
    expect(fault.message).toContain('a path inside the project');
  });

  test('a missing key is told at what should hold it', () => {
    expect(faultOf('a: &x 1\ntest: {}').place).toBe('config.yaml:1:1');
    expect(faultOf('test: {}')).toMatchObject({
      place: 'config.yaml:1:7',
      message: 'Expected node:test or vitest for test.runner, got nothing.',
    });
  });

  test('a near miss of a fixed value is a hint', () => {
    expect(faultOf('test: { runner: node-test }').hint).toBe('Did you mean node:test?');
  });

  test('of several faults the one that stands first in the file is told', () => {
    expect(faultOf('retry: { maxRetries: x }\nengine: 3\nzzz: 1').place).toBe('config.yaml:1:22');
  });

  test('a value behind an alias is told at the alias', () => {
    expect(faultOf('verify: &v [a]\nengine: *v').place).toBe('config.yaml:2:9');
  });
});

describe("a stage of one's own", () => {
  const stage = (name: string, after = 'spec') => `stages:\n  - { name: ${name}, role: r, after: ${after} }\n`;

  test.each(['spec', 'verify', 'commit', 'alex', 'codey-plan', 'shared', 'context'])(
    'cannot be called %s, which names something else',
    (name) => {
      expect(faultOf(stage(name))).toMatchObject({
        place: 'config.yaml:2:13',
        message: `Expected a name that no built-in step or role has for stages[0].name, got "${name}".`,
      });
    },
  );

  test.each(['Review', '../x', 'a--b', 'a-', '"1a"', '"a b"', 'x'.repeat(41)])(
    'cannot be called %s, which is no safe file name',
    (name) => {
      expect(faultOf(stage(name)).message).toContain('lower-case letters, digits and single hyphens');
    },
  );

  test('cannot have the name of another', () => {
    expect(faultOf(`${stage('twice')}  - { name: twice, role: r, after: spec }\n`)).toMatchObject({ place: 'config.yaml:3:13' });
  });

  test.each(['verify', 'later', 'itself'])('cannot come after %s, which is no stage before it', (after) => {
    const text = `stages:\n  - { name: itself, role: r, after: ${after} }\n  - { name: later, role: r, after: spec }\n`;
    expect(faultOf(text)).toMatchObject({ place: 'config.yaml:2:37' });
  });

  test('has a hint when its place is misspelt', () => {
    expect(faultOf(stage('review', 'storys')).hint).toBe('Did you mean stories?');
  });
});

describe('a fault of syntax is told at its place', () => {
  test.each([
    ['engine: transcript:a\nlimits: { turns: 4\n', /^config\.yaml:[23]:\d+$/],
    ['engine: a\nengine: b\n', /^config\.yaml:2:1$/],
    ['a: *nobody', /^config\.yaml:1:\d+$/],
    ['a: b: c', /^config\.yaml:1:\d+$/],
    ['a: 1\n---\nb: 2\n', /^config\.yaml:2:1$/],
  ])('%j', (text, place) => {
    const fault = faultOf(text);
    expect(fault.place).toMatch(place);
    expect(fault.message).not.toContain('\n');
  });

  test('aliases that unfold without end are refused', () => {
    const levels = Array.from(
      { length: 9 },
      (_, level) =>
        `a${level}: &a${level} [${
          level === 0
            ? 'x'
            : Array(9)
                .fill(`*a${level - 1}`)
                .join(', ')
        }]`,
    );
    expect(() => load(levels.join('\n'))).toThrow(UsageError);
  });
});
