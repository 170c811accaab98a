import { describe, expect, test } from 'vitest';
import { UsageError } from '../../src/errors.ts';
import { documentKinds } from '../../src/artifacts/kinds.ts';
import { firstDifference, renderDocument } from '../../src/artifacts/render.ts';
import { type DocumentKind, KIND_NAMES, type KindName } from '../../src/model/artifact.ts';
import { compileTemplate } from '../../src/text/template.ts';
import { builtInSource } from './builtin-templates.ts';

function renderWith(name: KindName, change: (source: string) => string): () => string {
  const source = change(builtInSource(name));
  const template = compileTemplate(source, { name: `${name}.md.hbs` });
  const kind: DocumentKind = documentKinds[name];
  return () => renderDocument({ kind, data: kind.sample, frontMatter: { feature: 'f', stage: 's' }, template });
}

describe('a template that drops or changes something is refused by name', () => {
  test.each<[KindName, string, string, string]>([
    ['story', '- **So that:** {{soThat}}\n', '', 'Template story.md.hbs loses field soThat.'],
    ['story', '{{#each then}}\n', '{{#each then}}{{#unless @index}}\n', 'Template story.md.hbs loses field criteria[0].then[1].'],
    ['story', '{{#each criteria}}', '{{#each retired}}', 'Template story.md.hbs loses field'],
    ['story', '{{title}}\n\n## Story', 'Fixed\n\n## Story', 'Template story.md.hbs changes field title.'],
    [
      'story',
      '{{context}}',
      '```\n{{context}}',
      'Template story.md.hbs gives a document that cannot be read back: Unexpected open code fence',
    ],
    [
      'feature-spec',
      '- **{{id}}:** {{text}}\n  - **Blocking',
      '- **{{id}}** {{text}}.\n  - **Blocking',
      'Template feature-spec.md.hbs changes field questions[0].text.',
    ],
    ['report', '- **{{severity}}:** {{text}}', '- **info:** {{text}}', 'Template report.md.hbs changes field findings[0].severity.'],
  ])('%s: %j', (name, from, to, message) => {
    const closing = to.includes('unless')
      ? (source: string) => source.replace('- **Then:** {{this}}\n', '- **Then:** {{this}}\n{{/unless}}')
      : (source: string) => source;
    const change = (source: string) => {
      expect(source).toContain(from);
      return closing(source.replace(from, to));
    };
    if (name === 'story' && to === '{{#each retired}}') expect(renderWith(name, change)).toThrow(UsageError);
    else expect(renderWith(name, change)).toThrow(message);
  });

  test('every line of every built-in template that shows a value is needed', () => {
    for (const name of KIND_NAMES) {
      const lines = builtInSource(name).split('\n');
      for (const [index, line] of lines.entries()) {
        const shows = line.replace(/\{\{(?:feature|stage|ordinal @index|[#/]\w.*?|else)\}\}/g, '').includes('{{');
        if (shows)
          expect(
            renderWith(name, () => lines.toSpliced(index, 1).join('\n')),
            `${name}: ${line}`,
          ).toThrow(/(?:loses|changes) field|cannot be read back/);
      }
    }
  });
});

test('a template may add words and change the look', () => {
  const render = renderWith(
    'story',
    (source) =>
      `${source.replaceAll('- **', '* **').replace('## Context and scope', '<!-- ours -->\n\n## Context')}\n## House rules\n\nBe kind.\n`,
  );
  expect(render()).toContain('Be kind.');
});

test('data that the schema refuses is not rendered', () => {
  const kind: DocumentKind = documentKinds['hand-off'];
  const template = compileTemplate('', { name: 't' });
  expect(() => renderDocument({ kind, data: { decisions: 'no' }, frontMatter: { feature: 'f', stage: 's' }, template })).toThrow(
    /Unexpected "no", expected an array \(decisions\)/,
  );
});

test('the first difference is named by its path', () => {
  expect(firstDifference({ a: [{ b: 1 }] }, { a: [{ b: 1 }] })).toBeUndefined();
  expect(firstDifference({ a: [{ b: 1 }] }, { a: [{ b: 2 }] })).toEqual({ field: 'a[0].b', isLost: false });
  expect(firstDifference({ a: [1, 2] }, { a: [1] })).toEqual({ field: 'a[1]', isLost: true });
});
