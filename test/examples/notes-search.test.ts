import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkValue } from '../../src/artifacts/findings.ts';
import { qualifiedId } from '../../src/artifacts/ids.ts';
import { submissionTools } from '../../src/artifacts/kinds.ts';
import type { Story } from '../../src/artifacts/story.ts';
import type { TestSpec } from '../../src/artifacts/test-spec.ts';
import { parseTranscript } from '../../src/engines/transcript/transcript.ts';
import type { Draft } from '../../src/model/artifact.ts';
import { coverageFindings } from '../../src/pipeline/criteria.ts';
import { BRIEF, cleanEnvironment, EXAMPLE, REPLIES, REPOSITORY } from '../helpers/project.ts';

const text = readFileSync(REPLIES, 'utf8');
const entries = parseTranscript(text, 'replies.yaml');
const calls = entries.flatMap((entry) => entry.calls.map((call) => ({ ...call, stage: entry.stage, entry })));
const submissions = calls.filter(({ tool }) => tool.startsWith('submit_'));

describe('the recorded replies of the example', () => {
  it.each(submissions.map((one) => ({ ...one, turn: one.entry.turn })))('hand in a valid $tool at $stage, turn $turn', (submission) => {
    expect(draftOf(submission).documents).not.toEqual([]);
  });

  it('forget one criterion at first, and are told which', () => {
    const [first, second] = testSubmissions();
    const missed = coverageFindings(specOf(first), criteria()).map(({ message }) => message);
    expect(missed).toHaveLength(1);
    const [wanted] = second?.entry.expect ?? [];
    expect(missed[0]).toContain(`${wanted} (`);
    // Forgotten in the list and in the files: not merely left out of the list.
    expect(JSON.stringify(first?.input)).not.toContain(wanted);
    expect(coverageFindings(specOf(second), criteria())).toEqual([]);
  });

  it('begin each title with its criterion, letter for letter as in the file', () => {
    const submission = testSubmissions()[1];
    const { files } = draftOf(submission);
    for (const { criterion, title, file } of specOf(submission).tests) {
      expect(title.startsWith(`${criterion} `)).toBe(true);
      expect(files.find(({ path }) => path === file)?.content).toContain(`test('${title}'`);
    }
  });

  it('cite sections that exist', () => {
    const headings = {
      'brief.md': headingsOf(readFileSync(BRIEF, 'utf8')),
      'SYSTEM_SPEC.md': headingsOf(readFileSync(join(EXAMPLE, '.blueprint/SYSTEM_SPEC.md'), 'utf8')),
      'FEATURE_SPEC.md': headingsOf(readFileSync(join(REPOSITORY, 'templates/artifacts/feature-spec.md.hbs'), 'utf8')),
    };
    const cited = [...text.matchAll(/\b(brief\.md|SYSTEM_SPEC\.md|FEATURE_SPEC\.md):(Section \d+|[A-Z][a-z]+(?: [A-Za-z]+)*)/g)];
    expect(cited.length).toBeGreaterThan(15);
    for (const [citation, file, place] of cited) {
      const known = headings[file as keyof typeof headings];
      // Words may follow a cited heading.
      expect(known.some((heading) => place?.startsWith(heading)), citation).toBe(true);
    }
  });
});

describe('the example project', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'blueprint-example-test-'));
    mkdirSync(join(folder, 'home'));
    cpSync(EXAMPLE, join(folder, 'notes'), { recursive: true });
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('is green, red with the new tests, and green again with the code', () => {
    const before = suite();
    expect(before).toMatchObject({ status: 0, failed: [] });
    for (const { path, content } of draftOf(testSubmissions()[1]).files) write(path, content);
    const titles = specOf(testSubmissions()[1]).tests;
    const red = suite();
    const named = titles.filter(({ file }) => file === 'test/search-cli.test.js').map(({ title }) => title);
    expect(red.status).not.toBe(0);
    expect(red.failed).toEqual(expect.arrayContaining(named));
    // The other file cannot even be loaded: what it imports does not exist.
    expect(red.output).toMatch(/Cannot find module .*search\.js/);
    expect(red.passed).toEqual(before.passed);

    for (const { tool, input } of calls) apply(tool, input as Record<string, string>);
    const green = suite();
    expect(green).toMatchObject({ status: 0, failed: [] });
    expect(green.passed).toEqual([...before.passed, ...titles.map(({ title }) => title)].toSorted());
  });

  function apply(tool: string, input: Record<string, string>): void {
    const { path = '', content = '', oldText = '', newText = '' } = input;
    if (tool === 'write_file') write(path, content);
    if (tool !== 'edit_file') return;
    const parts = readFileSync(join(folder, 'notes', path), 'utf8').split(oldText);
    expect(parts, `${path} holds the text to replace once`).toHaveLength(2);
    write(path, parts.join(newText));
  }

  function write(path: string, content: string): void {
    mkdirSync(dirname(join(folder, 'notes', path)), { recursive: true });
    writeFileSync(join(folder, 'notes', path), content);
  }

  function suite(): { status: number | null; passed: string[]; failed: string[]; output: string } {
    const { status, stdout, stderr } = spawnSync(process.execPath, ['--test', '--test-reporter=tap'], {
      cwd: join(folder, 'notes'),
      env: cleanEnvironment(join(folder, 'home')),
      encoding: 'utf8',
    });
    const titled = (mark: string): string[] =>
      [...stdout.matchAll(new RegExp(`^\\s*${mark} \\d+ - (.*)$`, 'gm'))].map(([, title]) => title ?? '').toSorted();
    return { status, passed: titled('ok'), failed: titled('not ok'), output: `${stdout}${stderr}` };
  }
});

type Submission = (typeof submissions)[number];

function draftOf(submission: Submission | undefined): Draft {
  const kind = submissionTools.find(({ tool }) => tool === submission?.tool);
  if (!kind || !submission) throw new Error(`There is no submission for ${submission?.tool ?? 'nothing'}.`);
  const checked = checkValue(kind.schema, submission.input);
  if (!checked.ok) throw new Error(JSON.stringify(checked.findings));
  const drafted = kind.draft(checked.data, { feature: 'search', stage: submission.stage, existing: {} });
  if (!drafted.ok) throw new Error(JSON.stringify(drafted.findings));
  return drafted.draft;
}

function testSubmissions(): Submission[] {
  return submissions.filter(({ stage }) => stage === 'tests');
}

function specOf(submission: Submission | undefined): TestSpec {
  return draftOf(submission).documents.find(({ kind }) => kind === 'test-spec')?.data as TestSpec;
}

/** Criteria with the ids that the program derives, not those that the replies expect. */
function criteria(): { id: string; title: string }[] {
  return draftOf(submissions.find(({ tool }) => tool === 'submit_story'))
    .documents.filter(({ kind }) => kind === 'story')
    .map(({ data }) => data as Story)
    .flatMap((story) => story.criteria.map(({ id, title }) => ({ id: qualifiedId(story.id, id), title })));
}

/** `Section 4` for a numbered heading, its text for any other. */
function headingsOf(markdown: string): string[] {
  return [...markdown.matchAll(/^## (?:(\d+)\. )?(.*)$/gm)].map(([, number, title]) => (number ? `Section ${number}` : (title ?? '')));
}
