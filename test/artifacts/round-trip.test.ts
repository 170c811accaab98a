import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkValue } from '../../src/artifacts/findings.ts';
import { documentKinds } from '../../src/artifacts/kinds.ts';
import { type DocumentKind, KIND_NAMES, type KindName } from '../../src/model/artifact.ts';
import { splitFrontMatter } from '../../src/text/front-matter.ts';
import { renderBuiltIn } from './builtin-templates.ts';
import { dataOf, hostile, realistic } from './generated-data.ts';

const RUNS: Record<KindName, number> = {
  'feature-spec': 20,
  story: 30,
  'test-spec': 20,
  'implementation-plan': 25,
  'hand-off': 30,
  report: 35,
};

function dataFrom(kind: DocumentKind, text: string): unknown {
  const parsed = kind.parse(text);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.findings));
  return parsed.data;
}

describe.each(KIND_NAMES)('%s', (name) => {
  const kind: DocumentKind = documentKinds[name];

  test('the sample is canonical, and reads back from its file', () => {
    expect(checkValue(kind.schema, kind.sample)).toEqual({ ok: true, data: kind.sample });
    expect(kind.parse(renderBuiltIn(name, kind.sample))).toEqual({ ok: true, data: kind.sample, unplaced: [], findings: [] });
  });

  test('any value is refused with the name of a field, or reads back as it is', { timeout: 20_000 }, () => {
    let accepted = 0;
    fc.assert(
      fc.property(dataOf(name, hostile), (value) => {
        const checked = checkValue(kind.schema, value);
        if (!checked.ok) {
          for (const finding of checked.findings)
            expect(finding).toMatchObject({ field: expect.stringMatching(/^\w/), message: expect.stringMatching(/^Unexpected .*\.$/s) });
          return;
        }
        accepted += 1;
        const text = renderBuiltIn(name, checked.data);
        expect(kind.parse(text)).toMatchObject({ ok: true, data: checked.data, unplaced: [] });
        expect(checkValue(kind.schema, checked.data)).toEqual({ ok: true, data: checked.data });
      }),
      { numRuns: RUNS[name] },
    );
    expect(accepted).toBeGreaterThan(RUNS[name] / 10);
  });

  test('realistic values are accepted, and the file looks tidy', { timeout: 20_000 }, () => {
    fc.assert(
      fc.property(dataOf(name, realistic), (value) => {
        expect(checkValue(kind.schema, value)).toMatchObject({ ok: true });
        const text = renderBuiltIn(name, value);
        expect(text).not.toMatch(/\n\n\n/);
        expect(text).toMatch(/[^\n]\n$/);
        expect(text).not.toMatch(/[ \t]\n/);
      }),
      { numRuns: 12 },
    );
  });

  test('twins with other line ends or a byte order mark read alike', { timeout: 20_000 }, () => {
    fc.assert(
      fc.property(dataOf(name, realistic), (value) => {
        const text = renderBuiltIn(name, value);
        const data = dataFrom(kind, text);
        for (const end of ['\r\n', '\r\r\n', '\r']) expect(dataFrom(kind, `\uFEFF${text.replaceAll('\n', end)}`)).toEqual(data);
      }),
      { numRuns: 4 },
    );
  });

  test('what a person adds does not change the data and is reported with its line', () => {
    const text = renderBuiltIn(name, kind.sample);
    const title = text.split('\n').findIndex((line) => line.startsWith('# '));
    const lines = text.split('\n');
    const added = [
      ...lines.slice(0, title + 1),
      '',
      'A paragraph of mine.',
      '',
      '- a loose item',
      '- **Mood:** good',
      '',
      ...lines.slice(title + 1),
    ].join('\n');
    const extra = name === 'report' ? '\n### My notes\n\n- **Step:** mine\n' : '\n## My notes\n\ntext\n\n### More\n\n- **Step:** mine\n';
    const parsed = kind.parse(added + extra);
    expect(parsed).toMatchObject({ ok: true, data: kind.sample, findings: [] });
    expect(parsed.unplaced[0]).toEqual({ line: title + 3, text: 'A paragraph of mine.' });
    expect(parsed.unplaced.map((item) => item.text)).toEqual(expect.arrayContaining(['- a loose item', '**Mood:** good']));
    expect(parsed.unplaced.at(-1)?.text).toMatch(/\*\*Step:\*\* mine$/);
  });

  test('the front matter names kind, feature and stage first, and what it was derived from last', () => {
    const split = splitFrontMatter(renderBuiltIn(name, kind.sample, { 'brief.md': 'sha256:1' }));
    const keys = split.ok ? Object.keys(split.data) : [];
    expect(keys).toEqual(['kind', 'feature', 'stage', ...kind.frontMatterKeys, 'derivedFrom']);
  });

  test('broken files are findings with a place, never exceptions', () => {
    const text = renderBuiltIn(name, kind.sample);
    expect(kind.parse('')).toMatchObject({ ok: false });
    expect(kind.parse(text.replace('kind: ', 'kind: a: '))).toMatchObject({ ok: false, findings: [{ rule: 'front-matter', line: 2 }] });
    expect(kind.parse(text.replace(/kind: .*/, 'kind: other'))).toMatchObject({
      ok: false,
      findings: [{ rule: 'front-matter', field: 'kind' }],
    });
    expect(kind.parse(`${text}${'x'.repeat(600_000)}`)).toMatchObject({ ok: false, findings: [{ rule: 'too-large' }] });
    expect(kind.parse(`${text}\n\`\`\`js\nswallowed\n`)).toMatchObject({
      ok: false,
      findings: expect.arrayContaining([expect.objectContaining({ rule: 'open-end', line: expect.any(Number) })]),
    });
  });
});
