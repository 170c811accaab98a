import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { criteriaOf } from '../../src/artifacts/criteria.ts';
import { documentKinds } from '../../src/artifacts/kinds.ts';
import { contentDigest } from '../../src/text/digest.ts';
import { splitFrontMatter } from '../../src/text/front-matter.ts';

const folder = fileURLToPath(new URL('../../../shared/corpus/', import.meta.url));

/** Every n-th file of moderate size, so that the sample is spread over all projects. */
function sample(count: number): { path: string; text: string }[] {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .toSorted();
  const step = Math.max(1, Math.floor(files.length / count));
  return files
    .filter((_, index) => index % step === 0)
    .map((path) => ({ path, text: readFileSync(`${folder}/${path}`, 'utf8') }))
    .filter(({ text }) => text.length < 20_000);
}

test.skipIf(!existsSync(folder))('files that others wrote for other tools are read without a crash', { timeout: 60_000 }, () => {
  const kinds = Object.values(documentKinds);
  for (const [index, { path, text }] of sample(20).entries()) {
    const kind = kinds[index % kinds.length];
    const parsed = kind?.parse(text);
    // A report may hold any sections, and a hand-off nothing at all, so a foreign file can pass for one.
    if (kind?.name !== 'report' && kind?.name !== 'hand-off') expect(parsed?.ok, path).toBe(false);
    for (const finding of parsed?.findings ?? []) expect(finding.message, path).toMatch(/^Unexpected /);
    criteriaOf(text);
    splitFrontMatter(text);
    expect(contentDigest(text)).toMatch(/^sha256:[0-9a-f]{64}$/);
  }
});
