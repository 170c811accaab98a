import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { libraryWith, PACKAGE, shipped, usageErrorOf } from './library-fixture.ts';

test('without a file of the project the shipped one counts', async () => {
  const library = libraryWith();
  expect(await library.role('spec')).toMatchObject({ text: shipped('agents/spec.md'), file: 'agents/spec.md', overridden: false });
  expect(await library.prompt('plan')).toMatchObject({ file: 'templates/prompts/plan.md.hbs', overridden: false });
  expect(await library.artifactTemplate('story')).toMatchObject({ file: 'templates/artifacts/story.md.hbs', overridden: false });
});

describe('a file of the project stands before the shipped one of the same name', () => {
  test.each([
    ['.blueprint/agents/spec.md', 'role', 'spec'],
    ['.blueprint/agents/guardrails.md', 'role', 'guardrails'],
    ['.blueprint/templates/prompts/plan.md.hbs', 'prompt', 'plan'],
    ['.blueprint/templates/plan.md.hbs', 'prompt', 'plan'],
    ['.blueprint/templates/prompts/review.md.hbs', 'prompt', 'review'],
    ['.blueprint/templates/artifacts/story.md.hbs', 'artifactTemplate', 'story'],
    ['.blueprint/templates/story.md.hbs', 'artifactTemplate', 'story'],
    ['.blueprint/templates/report.md.hbs', 'artifactTemplate', 'report'],
  ] as const)('%s', async (path, find, name) => {
    const library = libraryWith({ [path]: 'Mine.\n' });
    expect(await library[find](name as 'story')).toMatchObject({ text: 'Mine.\n', file: path, overridden: true });
  });
});

test('a template in its own folder stands before one directly among the templates', async () => {
  const library = libraryWith({ '.blueprint/templates/story.md.hbs': 'wide', '.blueprint/templates/artifacts/story.md.hbs': 'near' });
  expect((await library.artifactTemplate('story')).text).toBe('near');
});

test('a template report.md.hbs directly among the templates says how reports look, not what to do', async () => {
  const library = libraryWith({ '.blueprint/templates/report.md.hbs': '# {{title}}' });
  expect((await library.prompt('report')).overridden).toBe(false);
});

test("a stage that does not ship gets the prompt for reports, the project's own if it has one", async () => {
  expect((await libraryWith().prompt('security-review')).file).toBe('templates/prompts/report.md.hbs');
  const library = libraryWith({ '.blueprint/templates/prompts/report.md.hbs': 'Mine.' });
  expect((await library.prompt('security-review')).text).toBe('Mine.');
});

test('line ends and a byte order mark do not change a digest, words do', async () => {
  const digest = async (text: string) => (await libraryWith({ '.blueprint/agents/x.md': text }).role('x')).digest;
  expect(await digest('\uFEFFa\r\nb\r\n')).toBe(await digest('a\nb\n'));
  expect(await digest('a\nb\n')).not.toBe(await digest('a\nc\n'));
});

test('every file is read once', async () => {
  const library = libraryWith();
  await Promise.all([library.role('spec'), library.role('spec')]);
  await library.role('spec');
  expect(library.reads).toEqual([join(library.root, '.blueprint/agents/spec.md'), join(PACKAGE, 'agents/spec.md')]);
});

test('a missing role is told with where it was looked for and the names there are', async () => {
  const library = libraryWith({ '.blueprint/agents/security.md': 'x' });
  const error = await usageErrorOf(() => library.role('securty'));
  expect(error.message).toContain('There is no role "securty", expected one of ba, developer, security, spec, tester.');
  expect(error.message).toContain(join(library.root, '.blueprint/agents/securty.md'));
  expect(error.message).toContain(join(PACKAGE, 'agents/securty.md'));
  expect(error.hint).toBe('Did you mean security?');
});

test.each(['../agents/spec', '..', 'a/b', '', 'a\\b'])('a role named %j is looked for nowhere', async (name) => {
  const library = libraryWith();
  await usageErrorOf(() => library.role(name));
  expect(library.reads).toEqual([]);
});
