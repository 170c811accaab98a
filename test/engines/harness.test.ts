import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { runFeature } from '../../src/compose.ts';
import type { Harness, HarnessJob } from '../../src/model/engine.ts';
import type { RunEvent } from '../../src/model/event.ts';
import { CODE, smallReplies, testSpec } from '../fixtures/small.replies.mjs';
import type { TestProject } from '../helpers/project.ts';
import { BRIEF_TEXT, FOLDER, smallProject, STORY } from '../helpers/small.ts';

let project: TestProject;
afterEach(() => project.remove());

const usage = { input: 10, output: 5, cacheRead: 0, cacheWrite: 0 };

/** A harness that hands in what the small feature needs; stories as the Markdown files it would have written. */
function harness(perform: (job: HarnessJob) => Promise<void>): Harness {
  return { kind: 'harness', name: 'fake-harness', perform: async (job) => (await perform(job), { usage, turns: 1 }) };
}

function dataFor(step: string): unknown {
  const turns = smallReplies().filter(({ stage }) => stage === step);
  return turns.at(-1)?.calls?.at(-1)?.input;
}

async function play(job: HarnessJob): Promise<void> {
  if (job.key.step === 'implement') {
    mkdirSync(join(job.workspace, 'src'), { recursive: true });
    writeFileSync(join(job.workspace, 'src/farewell.js'), CODE);
  }
  const answer = await job.submit({ kind: job.kind, data: dataFor(job.key.step) });
  expect(answer).toMatchObject({ accepted: true });
}

async function run(engine: Harness): Promise<RunEvent[]> {
  const events: RunEvent[] = [];
  const options = {
    cwd: project.root,
    slug: 'farewell',
    brief: BRIEF_TEXT,
    pauseAfter: [],
    commit: true,
    yes: false,
    takeNew: false,
    fresh: false,
    acceptDamage: false,
    mode: 'feature' as const,
  };
  await runFeature(options, { emit: (event) => events.push(event), signal: new AbortController().signal }, { env: project.env, engine });
  return events;
}

describe('a harness', () => {
  it('plays the whole feature, and the files it wrote by itself are in the commit', async () => {
    project = smallProject();
    await run(harness(play));
    expect(project.git('show', '--name-only', '--format=', 'HEAD')).toContain('src/farewell.js');
  });

  it('hands in Markdown: the outer fence is dropped, findings come back, and the result is canonical', async () => {
    project = smallProject();
    await run(harness(play));
    const story = readFileSync(join(project.root, STORY), 'utf8');
    const handOff = readFileSync(join(project.root, FOLDER, 'hand-off-stories.md'), 'utf8');
    project.remove();
    project = smallProject();
    const answers: string[] = [];
    await run(
      harness(async (job) => {
        if (job.key.step !== 'stories') return play(job);
        const broken = story.replace('## Out of scope', 'Some words that no field takes.\n\n## Out of scope');
        const first = await job.submit({ kind: 'story', markdown: [broken, handOff] });
        expect(first.accepted).toBe(false);
        answers.push(first.text);
        const second = await job.submit({ kind: 'story', markdown: [`\`\`\`\`markdown\n${story}\n\`\`\`\``, handOff] });
        expect(second).toMatchObject({ accepted: true });
        return undefined;
      }),
    );
    expect(answers.join()).toContain('Some words that no field takes');
    expect(readFileSync(join(project.root, STORY), 'utf8')).toBe(story);
  });

  it('that changes a protected test fails its attempt, and the test is put back', async () => {
    project = smallProject();
    const path = (testSpec['files'] as { path: string }[])[0]?.path ?? '';
    const evil = harness(async (job) => {
      if (job.key.step === 'implement') {
        mkdirSync(dirname(join(job.workspace, path)), { recursive: true });
        writeFileSync(join(job.workspace, path), '');
      }
      if (job.key.step !== 'implement') return play(job);
      const answer = await job.submit({ kind: job.kind, data: dataFor(job.key.step) });
      expect(answer).toMatchObject({ accepted: false, text: expect.stringContaining('protected test') as string });
      return undefined;
    });
    await expect(run(evil)).rejects.toMatchObject({ exitCode: 1, message: expect.stringContaining(path) as string });
    expect(readFileSync(join(project.root, path), 'utf8')).toContain('Goodbye');
  });
});
