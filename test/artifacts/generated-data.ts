import fc from 'fast-check';
import type { KindName } from '../../src/model/artifact.ts';
import { hostileText, plainText } from '../text/hostile-text.ts';

const blockText = fc.array(
  fc.oneof(
    plainText,
    plainText.map((text) => `- ${text}\n  - ${text}`),
    plainText.map((text) => `\`\`\`js\n# ${text}\n\`\`\``),
    plainText.map((text) => `| a |\n| - |\n| ${text} |`),
  ),
  {
    minLength: 1,
    maxLength: 3,
  },
);
const goodBlock = blockText.map((parts) => parts.join('\n\n'));
const goodPath = fc.constantFrom(
  'src/login.ts',
  'test/a b.test.js',
  'ünï/日本.md',
  '.github/x.yml',
  'a',
  'src/__init__.py',
  '*weird*[x](y).ts',
);

interface Texts {
  line: fc.Arbitrary<string>;
  block: fc.Arbitrary<string>;
  path: fc.Arbitrary<string>;
}

/** Texts as people and roles write them: no schema may refuse them. */
export const realistic: Texts = { line: plainText, block: goodBlock, path: goodPath };

/** Now and then a text that tries to break out of its place. */
export const hostile: Texts = {
  line: fc.oneof({ weight: 1, arbitrary: plainText }, { weight: 2, arbitrary: hostileText.filter((text) => text.trim() !== '') }),
  block: fc.oneof(
    { weight: 2, arbitrary: goodBlock },
    { weight: 1, arbitrary: hostileText },
    { weight: 1, arbitrary: fc.tuple(plainText, hostileText).map((parts) => parts.join('\n\n')) },
  ),
  path: fc.oneof({ weight: 6, arbitrary: goodPath }, { weight: 1, arbitrary: hostileText }),
};

/** Data of each kind, made of such texts. */
export function dataOf(kind: KindName, texts: Texts): fc.Arbitrary<object> {
  const { line, block, path } = texts;
  const list = (maxLength = 2) => fc.array(line, { maxLength });
  const filled = fc.array(line, { minLength: 1, maxLength: 2 });
  const numbered = <T>(prefix: string, fields: fc.Arbitrary<T>) =>
    fc.array(fields, { maxLength: 2 }).map((items) => items.map((item, index) => ({ id: `${prefix}-${index * 7 + 1}`, ...item })));
  switch (kind) {
    case 'feature-spec':
      return fc.record({
        title: line,
        intent: block,
        scope: fc.record({ in: filled, out: list() }),
        actors: fc.array(fc.record({ name: line, can: list(), cannot: list() }), { maxLength: 2 }),
        behaviour: fc.record({ happyPath: filled, alternatives: fc.array(fc.record({ name: line, steps: list() }), { maxLength: 2 }) }),
        state: fc.record({ creating: list(), transitioning: list(1), constraining: list(1) }),
        rules: numbered(
          'R',
          fc.record({ statement: line, inputs: line, outputs: line, decision: fc.constantFrom('deterministic', 'discretionary') }),
        ),
        dependencies: list(),
        nonFunctional: list(),
        assumptions: numbered('A', fc.record({ text: line })),
        questions: numbered('Q', fc.record({ text: line, blocking: fc.boolean() })),
        systemSpecImpact: fc.record({
          reinforces: list(1),
          stretches: list(1),
          contradicts: fc.array(fc.record({ tension: line, proposal: line }), { maxLength: 2 }),
        }),
        handOver: fc.record({ themes: list(1), boundaries: list(1), framing: list(1) }),
        changeLog: list(),
        retired: fc.constantFrom([], ['R-9', 'A-12']),
      });
    case 'story':
      return fc.record({
        id: fc.constantFrom('story-login', 'story-ログイン', 'story-हिन्दी-2'),
        title: line,
        asA: line,
        iWant: line,
        soThat: line,
        context: block,
        criteria: fc
          .array(fc.record({ title: line, given: list(), when: filled, then: filled }), { minLength: 1, maxLength: 3 })
          .map((items) => items.map((item, index) => ({ id: `AC-${index * 5 + 1}`, ...item }))),
        outOfScope: list(),
        retired: fc.constantFrom([], ['AC-2', 'AC-30']),
      });
    case 'test-spec':
      return fc.record({
        understanding: block,
        tests: fc
          .array(fc.tuple(line, fc.constantFrom('story-login:AC-1', 'story-ログイン:AC-12')), { minLength: 1, maxLength: 3 })
          .map((tests) => tests.map(([title, criterion]) => ({ criterion, title: `${criterion} ${title}`, file: 'test/a.test.js' }))),
        creates: fc.uniqueArray(
          fc.record({ path, symbols: fc.array(fc.constantFrom('$a', '__init__', 'Class.method()', '*'), { maxLength: 2 }) }),
          { selector: (module) => module.path, maxLength: 2 },
        ),
        files: fc.constantFrom(['test/a.test.js'], ['test/a.test.js', 'test/b c.test.js']),
        assumptions: list(),
      });
    case 'implementation-plan':
      return fc.record({
        summary: block,
        files: fc.uniqueArray(fc.record({ action: fc.constantFrom('create', 'change', 'delete'), path, purpose: line }), {
          selector: (file) => file.path,
          maxLength: 3,
        }),
        steps: filled,
        risks: list(),
      });
    case 'hand-off':
      return fc.record({ decisions: list(3), files: fc.array(path, { maxLength: 3 }), openQuestions: list(3), critical: list(3) });
    case 'report':
      return fc.record({
        title: line,
        findings: fc.array(
          fc.record(
            { severity: fc.constantFrom('info', 'warning', 'blocker'), text: line, file: path },
            { requiredKeys: ['severity', 'text'] },
          ),
          { maxLength: 3 },
        ),
        sections: fc.array(fc.record({ heading: fc.oneof(line, fc.constantFrom('Findings', '1. Findings', 'Report: x')), body: block }), {
          maxLength: 2,
        }),
      });
  }
}
