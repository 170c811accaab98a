import { expect, test } from 'vitest';
import { documentKinds } from '../../src/artifacts/kinds.ts';
import { renderDocument } from '../../src/artifacts/render.ts';
import { KIND_NAMES, type DocumentKind, type KindName } from '../../src/model/artifact.ts';
import { checkLibrary } from '../../src/roles/check-overrides.ts';
import { loadRole, type Role } from '../../src/roles/role.ts';
import { compileTemplate } from '../../src/text/template.ts';
import { libraryWith, shipped, TOOL_NAMES, usageErrorOf } from './library-fixture.ts';

const STAGES: { name: string; role: string; kind: KindName }[] = [
  { name: 'spec', role: 'spec', kind: 'feature-spec' },
  { name: 'stories', role: 'ba', kind: 'story' },
  { name: 'tests', role: 'tester', kind: 'test-spec' },
  { name: 'plan', role: 'developer', kind: 'implementation-plan' },
  { name: 'implement', role: 'developer', kind: 'hand-off' },
  { name: 'review', role: 'tester', kind: 'report' },
];

function tryArtifact(kind: KindName, source: string, file: string): void {
  const { sample } = documentKinds[kind];
  renderDocument({
    kind: documentKinds[kind] as DocumentKind,
    data: sample,
    frontMatter: { feature: 'sample', stage: 'sample' },
    template: compileTemplate(source, { name: file }),
  });
}

async function check(files: Record<string, string>): Promise<void> {
  const library = libraryWith(files);
  const roles = new Map<string, Role>();
  for (const { role } of STAGES) roles.set(role, await loadRole(role, library, TOOL_NAMES));
  await checkLibrary({ library, stages: STAGES, roles, tools: [], kinds: KIND_NAMES, tryArtifact });
}

test('what ships has no fault', async () => {
  await expect(check({})).resolves.toBeUndefined();
});

test('an override that says the same in other words is accepted', async () => {
  const files = {
    '.blueprint/templates/story.md.hbs': `${shipped('templates/artifacts/story.md.hbs')}\n`,
    '.blueprint/templates/prompts/review.md.hbs': 'Review {{feature}} and call {{submitTool}}.\n\n{{> context}}\n',
    '.blueprint/agents/tester.md': shipped('agents/tester.md').replace('Nigel', 'Nora'),
  };
  await expect(check(files)).resolves.toBeUndefined();
});

test.each([
  ['a prompt with an open block', '.blueprint/templates/prompts/plan.md.hbs', 'Plan.\n{{#if x}}\n', /:\d+:\d+$/],
  ['a prompt with an unknown variable', '.blueprint/templates/prompts/plan.md.hbs', 'Plan.\n  {{feture}}\n', /:2:5$/],
  [
    'a fault that shows only after a failure',
    '.blueprint/templates/prompts/context.md.hbs',
    '\n{{#if failure}}{{failure.reason}}{{/if}}',
    /:2:\d+$/,
  ],
  ['a fault that shows only at a first attempt', '.blueprint/templates/prompts/context.md.hbs', '\n{{failure.message}}', /:2:\d+$/],
  ["a prompt of a stage of one's own", '.blueprint/templates/review.md.hbs', '{{> contxt}}', /:1:1$/],
  ['guardrails with a fault', '.blueprint/agents/guardrails.md', 'Rules.\n{{nobody}}', /:2:3$/],
  [
    'a role that uses what it is not given',
    '.blueprint/agents/ba.md',
    '---\nrole: ba\npersona: Cass\nreads: []\n---\nYou are {{name}}.\n',
    /:6:11$/,
  ],
  [
    'an artifact template that loses a field',
    '.blueprint/templates/artifacts/story.md.hbs',
    shipped('templates/artifacts/story.md.hbs').replace('- **So that:** {{soThat}}\n', ''),
    /:1:1$/,
  ],
  ['an artifact template with an unknown variable', '.blueprint/templates/story.md.hbs', '# Story: {{titel}}\n', /:1:12$/],
])('%s is refused with file, line and column', async (_, path, text, place) => {
  const error = await usageErrorOf(() => check({ [path]: text }));
  expect(error.place?.startsWith(`${path}:`)).toBe(true);
  expect(error.place).toMatch(place);
});
