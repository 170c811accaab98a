import { describe, expect, test } from 'vitest';
import { loadRole } from '../../src/roles/role.ts';
import { libraryWith, TOOL_NAMES, usageErrorOf } from './library-fixture.ts';

const HEADER = ['role: reviewer', 'persona: Rita', 'reads: [story, feature-spec]', 'mayTouch: []', 'tools: [read_file]'];
const roleText = (header: string[], body = 'You are {{persona}}.\n') => ['---', ...header, '---', body].join('\n');
const load = (text: string) => loadRole('reviewer', libraryWith({ '.blueprint/agents/reviewer.md': text }), TOOL_NAMES);

test('a role file becomes a role', async () => {
  const role = await load(`\uFEFF${roleText([...HEADER, 'limits: { turns: 7 }']).replaceAll('\n', '\r\n')}`);
  expect(role).toMatchObject({
    name: 'reviewer',
    persona: 'Rita',
    reads: ['story', 'feature-spec'],
    mayTouch: [],
    tools: ['read_file'],
    limits: { turns: 7 },
    file: '.blueprint/agents/reviewer.md',
  });
  expect(role.body.render({ persona: 'Rita' }).trim()).toBe('You are Rita.');
});

test('a role that says nothing of tools and limits may do nothing and keeps the limits', async () => {
  expect(await load(roleText(HEADER.slice(0, 3)))).toMatchObject({ tools: [], mayTouch: [], limits: {} });
});

test.each([
  ['spec', 'Alex', ['brief', 'system-spec', 'business-context'], [], 3],
  ['ba', 'Cass', ['feature-spec', 'system-spec', 'hand-off', 'report'], [], 3],
  ['tester', 'Nigel', ['story', 'feature-spec', 'hand-off', 'report'], [], 3],
  ['developer', 'Codey', ['implementation-plan', 'test-spec', 'story', 'feature-spec', 'hand-off', 'report'], ['**'], 6],
])('the shipped role %s is %s', async (name, persona, reads, mayTouch, tools) => {
  expect(await loadRole(name, libraryWith(), TOOL_NAMES)).toMatchObject({ persona, reads, mayTouch, tools: TOOL_NAMES.slice(0, tools) });
});

describe('a fault in a role file is told at its line and column', () => {
  const changed = (from: string, to: string) => roleText(HEADER.map((line) => line.replace(from, to)));
  test.each([
    [changed('[read_file]', '[list_files, readfile]'), '6:21', 'Did you mean read_file?', 'got "readfile"'],
    [changed('story,', 'storys,'), '4:9', 'Did you mean story?', 'got "storys"'],
    [changed('role: reviewer', 'role: other'), '2:7', undefined, 'Expected reviewer, the name of the file'],
    [changed('persona: Rita', 'person: Rita'), '3:1', 'Did you mean persona?', 'got "person"'],
    [changed('[]', '["../x"]'), '5:12', undefined, 'a glob inside the project'],
    [roleText([...HEADER, 'limits:', '  turns: lots']), '8:10', undefined, 'a whole number of at least 1'],
    [roleText([...HEADER, 'limits:', '  turn: 3']), '8:3', 'Did you mean turns?', 'got "turn"'],
    [
      roleText(HEADER.filter((line) => !line.startsWith('persona'))),
      '2:1',
      undefined,
      'Expected a name for the role for persona, got nothing',
    ],
    [roleText([...HEADER, 'toolz: []']), '7:1', 'Did you mean tools?', 'got "toolz"'],
    [roleText([...HEADER, 'persona: Again']), '7:1', 'Keep one of the two keys.', 'Unexpected front matter'],
    ['You are Rita.\n', '1:1', undefined, 'Expected a front matter'],
    [roleText(HEADER, '\n'), '8:1', undefined, 'who it is'],
    [roleText(HEADER, 'Fine.\n\nYou {{#if x}}.\n'), '11:1', undefined, 'fault of syntax'],
    [roleText(HEADER, 'Fine.\n{{> nobody}}\n'), '9:1', undefined, 'Unexpected partial "nobody"'],
  ])('case %#', async (text, place, hint, words) => {
    const error = await usageErrorOf(() => load(text));
    expect(error.message).toContain(words);
    expect(error.place).toBe(`.blueprint/agents/reviewer.md:${place}`);
    if (hint !== undefined) expect(error.hint).toBe(hint);
  });
});

test('a variable that roles are not given is told at its place when the role is rendered', async () => {
  const role = await load(roleText(HEADER, 'You are\n{{nobody}}.\n'));
  expect((await usageErrorOf(() => role.body.render({ persona: 'Rita' }))).place).toBe('.blueprint/agents/reviewer.md:9:3');
});
