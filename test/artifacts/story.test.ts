import { describe, expect, test } from 'vitest';
import { criteriaOf } from '../../src/artifacts/criteria.ts';
import { storyKind } from '../../src/artifacts/story.ts';
import { renderBuiltIn } from './builtin-templates.ts';

const text = renderBuiltIn('story', storyKind.sample);

function dataOf(story: string) {
  const parsed = storyKind.parse(story);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.findings));
  return parsed.data;
}

describe('a story as people write it', () => {
  test('may vary bullets, colons, numbering, case, wrapping and the depth of criteria', () => {
    const story = [
      '---',
      'id: story-locked-out',
      'retired: [AC-2]',
      '---',
      '# STORY: Locked out',
      '',
      '## 1. user story',
      '* **As a**: visitor',
      '* **I want** my account to be locked',
      '  after failed attempts',
      '* __So that:__ nobody guesses my password',
      '',
      'Context',
      '-------',
      '',
      'Covers the lock only.',
      '',
      '| attempts | state |',
      '| --- | --- |',
      '| 5 | locked |',
      '',
      '## 3) Acceptance Criteria ##',
      '',
      '#### AC1 - The fifth failure locks',
      '1. **Given** an account with four failures',
      '2. **And** no login since',
      '',
      '+ **When:** a wrong password',
      '  is entered',
      '+ **Then:**the account is locked',
      '+ **And:** the visitor is told so',
      '',
      '## Out of scope:',
      '',
      '- [ ] **Out:** Unlocking',
      '',
    ];
    expect(dataOf(story.join('\n'))).toEqual(storyKind.sample);
    expect(storyKind.parse(story.join('\r\n')).unplaced).toEqual([]);
  });

  test('headings and items in fences, comments and quotes count for nothing', () => {
    const hidden = [
      '```md',
      '### AC-8: fenced',
      '- **Given:** fenced',
      '```',
      '',
      '<!--',
      '## Out of scope',
      '- **Out:** commented',
      '-->',
      '',
      '> ### AC-9: quoted',
      '',
    ].join('\n');
    const parsed = storyKind.parse(text.replace('## Out of scope', `${hidden}\n## Out of scope`));
    expect(parsed).toMatchObject({ ok: true, data: storyKind.sample });
    expect(parsed.unplaced).toHaveLength(3);
  });

  test('keeps a closing run of hashes in a title', () => {
    expect(dataOf(text.replace('# Story: Locked out', '# Story: Learn C ##').replace('The fifth failure locks', 'In F #')).title).toBe(
      'Learn C ##',
    );
    expect(criteriaOf(text.replace('The fifth failure locks', 'In F #'))[0]?.title).toBe('In F #');
  });

  test('without an id gets one from its title, and a warning', () => {
    const parsed = storyKind.parse(text.replace(/^---[^]*?---\n\n/, ''));
    expect(parsed).toMatchObject({ ok: true, data: { id: 'story-locked-out' }, findings: [{ severity: 'warning', field: 'id' }] });
  });
});

describe('a finding tells', () => {
  const criterion = '### AC-1: The fifth failure locks';

  test.each(['AC-1', 'AC1', 'AC-01', 'ac 1'])('that %s is there already', (id) => {
    const twice = text.replace('## Out of scope', `### ${id}: Again\n\n- **When:** x\n- **Then:** y\n\n## Out of scope`);
    const line = text.split('\n').indexOf(criterion) + 1;
    expect(storyKind.parse(twice)).toMatchObject({
      ok: false,
      findings: expect.arrayContaining([
        expect.objectContaining({
          rule: 'duplicate-id',
          message: `Unexpected second criterion AC-1, expected every id once (the first is on line ${line}).`,
        }),
      ]),
    });
  });

  test('that a heading lacks its space', () => {
    const story = text.replace('## Out of scope', '###AC-3: Lost\n\n- **When:** x\n\n## Out of scope');
    expect(storyKind.parse(story)).toMatchObject({
      ok: false,
      findings: [
        {
          rule: 'criterion-heading',
          line: story.split('\n').indexOf('###AC-3: Lost') + 1,
          message: expect.stringContaining('looks like a criterion heading but lacks a space after ###'),
        },
      ],
    });
  });

  test('which fence swallows how much', () => {
    const story = text.replace('Covers the lock only.', 'Covers the lock only.\n\n```sh\nrun');
    const line = story.split('\n').indexOf('```sh') + 1;
    const swallowed = story.trimEnd().split('\n').length - line;
    const parsed = storyKind.parse(story);
    expect(parsed).toMatchObject({ ok: false });
    expect(parsed.findings[0]).toMatchObject({
      rule: 'open-end',
      line,
      message: expect.stringContaining(`swallows the ${swallowed} lines after it`),
    });
  });

  test('on which line a value is missing', () => {
    const story = text.replace(/- \*\*When:.*\n/, '').replace(/- \*\*So that:.*\n/, '');
    const line = story.split('\n').indexOf(criterion) + 1;
    expect(storyKind.parse(story).findings).toMatchObject([{ field: 'soThat' }, { field: 'criteria[0].when', line }]);
  });

  test('that a label or a section comes twice', () => {
    expect(storyKind.parse(text.replace('- **I want:**', '- **As a:** guest\n- **I want:**')).findings).toMatchObject([
      { rule: 'duplicate-label' },
    ]);
    expect(storyKind.parse(`${text}\n## Out of Scope\n\n- **Out:** more\n`).findings).toMatchObject([{ rule: 'duplicate-section' }]);
  });
});

describe('the criteria of a text', () => {
  const two = text.replace(
    '## Out of scope',
    '### AC-4: Stays locked\n\n- **When:** x\n- **Then:** y\n\n#### Notes\n\nmine\n\n## Out of scope',
  );

  test('have id, title, line and a digest of their own', () => {
    const [first, second] = criteriaOf(two);
    expect([first?.id, second?.id, second?.title]).toEqual(['AC-1', 'AC-4', 'Stays locked']);
    expect(second?.line).toBe(two.split('\n').indexOf('### AC-4: Stays locked') + 1);
    expect(first?.digest).toBe(criteriaOf(text)[0]?.digest);
    expect(first?.digest).not.toBe(second?.digest);
  });

  test('change their digest only with their own words', () => {
    const digests = (story: string) => criteriaOf(story).map((criterion) => criterion.digest);
    expect(digests(two.replaceAll('\n', '\r\n'))).toEqual(digests(two));
    expect(digests(two.replace('Covers the lock', 'Covers locks'))).toEqual(digests(two));
    expect(digests(two.replace('mine', 'yours'))).toEqual([digests(two)[0], expect.not.stringMatching(digests(two)[1] ?? '')]);
  });

  test('are none in a text that cannot be read', () => {
    expect(criteriaOf('x'.repeat(600_000))).toEqual([]);
  });
});
