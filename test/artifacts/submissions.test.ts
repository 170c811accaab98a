import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { checkValue } from '../../src/artifacts/findings.ts';
import { handOffKind } from '../../src/artifacts/hand-off.ts';
import { documentKinds, submissionKinds, submissionTools } from '../../src/artifacts/kinds.ts';
import { type Draft, type DraftContext, type KindName, KIND_NAMES } from '../../src/model/artifact.ts';
import type { Finding } from '../../src/model/failure.ts';
import { renderBuiltIn } from './builtin-templates.ts';

const handOff = { decisions: ['Keep it small'], files: ['src/a.ts'], openQuestions: [], critical: [] };
const nothing: DraftContext = { feature: 'login', stage: 'stories', existing: {} };

function draftOf(name: KindName, input: unknown, context: DraftContext): { ok: true; draft: Draft } | { ok: false; findings: Finding[] } {
  const kind = submissionTools.find((candidate) => candidate.kind === name);
  if (!kind) throw new Error(name);
  const checked = checkValue(kind.schema, input);
  return checked.ok ? kind.draft(checked.data, context) : checked;
}

function draft(name: KindName, input: unknown, context = nothing): Draft {
  const result = draftOf(name, input, context);
  if (!result.ok) throw new Error(JSON.stringify(result.findings));
  return result.draft;
}

function existing(result: Draft): DraftContext {
  return { ...nothing, existing: Object.fromEntries(result.documents.map(({ fileName, kind, data }) => [fileName, { kind, data }])) };
}

const story = (title: string, criteria: object[] = [{ title: 'works', when: ['x'], then: ['y'] }], more: object = {}) => ({
  title,
  asA: 'visitor',
  iWant: 'to log in',
  soThat: 'I am in',
  context: 'All of it.',
  criteria,
  ...more,
});
const criterion = (title: string, id?: string) => ({ title, when: ['x'], then: ['y'], ...(id ? { id } : {}) });
const idsOf = (result: Draft, index = 0) =>
  (result.documents[index]?.data as { criteria: { id: string }[] } | undefined)?.criteria.map(({ id }) => id);

test('every tool can be described to a model, with its hand-off demanded', () => {
  expect(submissionTools.map(({ tool }) => tool)).toEqual([
    'submit_feature_spec',
    'submit_story',
    'submit_test_spec',
    'submit_implementation_plan',
    'submit_hand_off',
    'submit_report',
  ]);
  for (const { schema, kind } of submissionTools) {
    const described = z.toJSONSchema(schema, { io: 'input' });
    expect(described.type).toBe('object');
    if (kind !== 'hand-off') expect(described.required).toContain('handOff');
  }
});

test('what a harness wrote as Markdown becomes the same draft as the data', () => {
  for (const name of KIND_NAMES) {
    const sample = documentKinds[name].sample;
    const documents = [
      { kind: name, data: sample },
      ...(name === 'hand-off' ? [] : [{ kind: 'hand-off' as const, data: handOffKind.sample }]),
    ];
    const files = name === 'test-spec' ? [{ path: 'test/login.test.js', content: 'test()\n' }] : [];
    const kind = submissionTools.find((candidate) => candidate.kind === name);
    const result = draft(name, kind?.fromDocuments(documents, files));
    expect(result.documents.at(-1)).toEqual({ kind: 'hand-off', fileName: 'hand-off-stories.md', data: handOffKind.sample });
    for (const document of result.documents) renderBuiltIn(document.kind, document.data);
  }
});

test('a harness that wrote nothing is told which fields are missing', () => {
  for (const kind of submissionTools) {
    const checked = checkValue(kind.schema, kind.fromDocuments([], []));
    expect(checked).toMatchObject({
      ok: false,
      findings: expect.arrayContaining([
        expect.objectContaining({ message: expect.stringMatching(/^Unexpected gap, expected|^Unexpected 0 entries/) }),
      ]),
    });
  }
});

describe('stories', () => {
  test('get ids and files from their titles, in any script and never twice', () => {
    const titles = ['Log in', 'Log  in!', 'ログイン する', 'Überprüfung', '🎉', 'हिन्दी में'];
    const result = draft('story', { stories: titles.map((title) => story(title)), handOff });
    expect(result.documents.map(({ fileName }) => fileName)).toEqual([
      'story-log-in.md',
      'story-log-in-2.md',
      'story-ログイン-する.md',
      'story-überprüfung.md',
      'story-untitled.md',
      'story-हिन्दी-में.md',
      'hand-off-stories.md',
    ]);
  });

  test('keep known criteria, and never use an id again', () => {
    const first = draft('story', { stories: [story('Log in', [criterion('a'), criterion('b', 'AC-7'), criterion('c')])], handOff });
    expect(idsOf(first)).toEqual(['AC-1', 'AC-2', 'AC-3']);
    const second = draft(
      'story',
      { stories: [story('Sign in', [criterion('new'), criterion('b', 'ac02')], { id: 'story-log-in' })], handOff },
      existing(first),
    );
    expect(second.documents[0]).toMatchObject({
      fileName: 'story-log-in.md',
      data: { id: 'story-log-in', title: 'Sign in', retired: ['AC-1', 'AC-3'] },
    });
    expect(idsOf(second)).toEqual(['AC-4', 'AC-2']);
    const third = draft(
      'story',
      { stories: [story('Sign in', [criterion('back', 'AC-3')], { id: 'story-log-in' })], handOff },
      existing(second),
    );
    expect(idsOf(third)).toEqual(['AC-5']);
    expect(third.documents[0]?.data).toMatchObject({ retired: ['AC-1', 'AC-2', 'AC-3', 'AC-4'] });
  });

  test('that are new keep away from files that are there', () => {
    const first = draft('story', { stories: [story('Log in')], handOff });
    const second = draft('story', { stories: [story('Log in!')], handOff }, existing(first));
    expect(second.documents[0]?.fileName).toBe('story-log-in-2.md');
  });

  test('that are handed in again without ids are the same stories with the same criteria', () => {
    const first = draft('story', { stories: [story('Log in', [criterion('a'), criterion('b')])], handOff });
    const again = draft('story', { stories: [story('Log in', [criterion('b'), criterion('c')])], handOff }, existing(first));
    expect(again.documents[0]).toMatchObject({
      fileName: 'story-log-in.md',
      data: {
        criteria: [
          { id: 'AC-2', title: 'b' },
          { id: 'AC-3', title: 'c' },
        ],
        retired: ['AC-1'],
      },
    });
  });

  test('keep the file they are in, whatever its name', () => {
    const data = { ...documentKinds.story.sample, id: 'story-a' };
    const context = { ...nothing, existing: { 'story-renamed.md': { kind: 'story' as const, data } } };
    expect(draft('story', { stories: [story('New title', undefined, { id: 'story-a' })], handOff }, context).documents[0]?.fileName).toBe(
      'story-renamed.md',
    );
  });

  test('that claim one id twice are refused', () => {
    const first = draft('story', { stories: [story('Log in', [criterion('a'), criterion('b')])], handOff });
    const twice = {
      stories: [
        story('x', [criterion('a', 'AC-1'), criterion('b', 'AC-01')], { id: 'story-log-in' }),
        story('y', undefined, { id: 'story-log-in' }),
      ],
      handOff,
    };
    expect(draftOf('story', twice, existing(first))).toMatchObject({
      ok: false,
      findings: [{ field: 'stories[1].id' }, { field: 'stories[0].criteria[1].id' }],
    });
  });
});

describe('a feature specification', () => {
  const { retired: _, ...sample } = documentKinds['feature-spec'].sample;

  test('gets its ids from the program and remembers retired ones', () => {
    const first = draft('feature-spec', { ...sample, handOff });
    const rules = [
      { ...sample.rules[1], id: 'R2' },
      { ...sample.rules[0], id: undefined, statement: 'A new rule.' },
    ];
    const second = draft('feature-spec', { ...sample, rules, questions: [], handOff }, existing(first));
    expect(second.documents[0]).toMatchObject({
      fileName: 'FEATURE_SPEC.md',
      data: { rules: [{ id: 'R-2' }, { id: 'R-3' }], retired: ['R-1', 'Q-1', 'Q-2'] },
    });
  });

  test('needs an intent, a scope and a happy path, and little else', () => {
    const least = { title: 'x', intent: 'x', scope: { in: ['x'] }, behaviour: { happyPath: ['x'] }, handOff: {} };
    expect(draft('feature-spec', least).documents).toHaveLength(2);
    const result = draftOf('feature-spec', { ...least, intent: ' ', scope: { in: [] }, behaviour: {} }, nothing);
    expect(result).toMatchObject({ ok: false, findings: [{ field: 'intent' }, { field: 'scope.in' }, { field: 'behaviour.happyPath' }] });
  });
});

describe('a test specification', () => {
  const input = { ...documentKinds['test-spec'].sample, files: [{ path: 'test/login.test.js', content: '  x\r\n\ud83d\n\n' }], handOff };

  test('places its files as they were given, lone surrogates apart', () => {
    expect(draft('test-spec', input).files).toEqual([{ path: 'test/login.test.js', content: '  x\r\n\ufffd\n\n' }]);
  });

  test.each([
    ['a title without the id', { title: 'refuses the sixth attempt' }, 'tests[0].title'],
    ['a title with a longer id', { title: 'story-login:AC-12 refuses' }, 'tests[0].title'],
    ['a file that is not handed in', { file: 'test/other.test.js' }, 'tests[0].file'],
    ['a criterion without its story', { criterion: 'AC-1' }, 'tests[0].criterion'],
  ])('is refused for %s', (_name, change, field) => {
    expect(draftOf('test-spec', { ...input, tests: [{ ...input.tests[0], ...change }] }, nothing)).toMatchObject({
      ok: false,
      findings: [{ field }],
    });
  });
});

describe('a hand-off', () => {
  test('stays under 30 lines, however full it is', () => {
    const full = {
      decisions: Array(9).fill('x'),
      files: Array(4).fill('a'),
      openQuestions: Array(4).fill('x'),
      critical: Array(4).fill('x'),
    };
    expect(renderBuiltIn('hand-off', full).trimEnd().split('\n').length).toBeLessThan(30);
    expect(checkValue(handOffKind.schema, { ...full, critical: Array(5).fill('x') })).toMatchObject({ ok: false });
  });

  test('is a draft of its own', () => {
    expect(submissionKinds['hand-off'].draft(handOff, { ...nothing, stage: 'implement' })).toEqual({
      ok: true,
      draft: { documents: [{ kind: 'hand-off', fileName: 'hand-off-implement.md', data: handOff }], files: [] },
    });
  });
});
