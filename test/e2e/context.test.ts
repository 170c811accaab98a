import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { journalsOf, treeOf, writeReplies, type TestProject } from '../helpers/project.ts';
import { BRIEF_TEXT, FOLDER, repeated, runSmall, smallProject, STORY, cutOff } from '../helpers/small.ts';

let project: TestProject;
afterEach(() => project.remove());

interface Part {
  name: string;
  characters: number;
  tokens: number;
  text: string;
}

interface ContextDocument {
  type: string;
  feature: string;
  stage: string;
  attempt: number;
  open?: boolean;
  superseded?: string;
  parts: Part[];
  leftOut: string[];
  inputs: string[];
  total: { characters: number; tokens: number };
}

const STAGES = ['spec', 'stories', 'tests', 'plan', 'implement'];

async function contextOf(stage: string): Promise<ContextDocument> {
  const { code, stdout, stderr } = await project.run('context', 'farewell', '--stage', stage, '--json');
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return JSON.parse(stdout) as ContextDocument;
}

/** Texts of the parts as the latest run recorded them for the latest attempt of a stage. */
function recordedParts(stage: string): string[] {
  const events = journalsOf(project.root).at(-1) ?? [];
  const start = events.findLast(({ type, data }) => type === 'attempt-start' && data['step'] === stage);
  const run = readdirSync(join(project.root, '.blueprint/runs')).sort().at(-1) ?? '';
  const blob = String(start?.data['prompt']).replace('sha256:', '');
  const text = readFileSync(join(project.root, '.blueprint/runs', run, 'blobs', blob), 'utf8');
  const prompt = JSON.parse(text) as { tools: unknown[]; system: string[]; task: string };
  return [JSON.stringify(prompt.tools), ...prompt.system, prompt.task];
}

const textsOf = ({ parts }: ContextDocument): string[] => parts.map(({ text }) => text);

/** Every file of the project, what is local to a checkout included, but for git's own. */
function everything(): string[] {
  return readdirSync(project.root, { recursive: true, encoding: 'utf8' })
    .filter((path) => !path.startsWith('.git/'))
    .sort();
}

const truncated = repeated(2).flatMap((turn) => (turn.stage === 'plan' && turn.attempt === 1 ? cutOff(turn) : [turn]));

describe('blueprint context', () => {
  it('shows before each stage exactly the parts that its attempt then records', { timeout: 120_000 }, async () => {
    project = smallProject();
    project.write(`${FOLDER}/brief.md`, `${BRIEF_TEXT}\n`);
    const engine = writeReplies(project, 'replies.yaml', repeated(1));
    for (const stage of STAGES) {
      const shown = await contextOf(stage);
      expect(shown).toMatchObject({ type: 'context', feature: 'farewell', stage, attempt: 1, leftOut: [] });
      expect((await project.run('feature', 'farewell', '--engine', engine, '--pause-after', stage)).code).toBe(0);
      expect(textsOf(shown)).toEqual(recordedParts(stage));
    }
  });

  it('prints each part word for word under a heading with its size, and the sizes again at the end', async () => {
    project = smallProject();
    project.write(`${FOLDER}/brief.md`, `${BRIEF_TEXT}\n`);
    const { parts, total } = await contextOf('spec');
    const { code, stdout } = await project.run('context', 'farewell', '--stage', 'alex');
    expect(code).toBe(0);
    expect(parts.map(({ name }) => name)).toEqual(['tools', 'system 1: shared by all roles', 'system 2: role spec, Alex', 'task']);
    const count = (number: number): string => number.toLocaleString('en-US');
    let at = 0;
    for (const { name, characters, tokens, text } of parts) {
      expect(characters).toBe(text.length);
      const block = `\n── ${name} · ${count(characters)} characters · about ${count(tokens)} tokens\n${text}\n\n`;
      expect(stdout.indexOf(block)).toBeGreaterThanOrEqual(at);
      at = stdout.indexOf(block) + block.length - 1;
    }
    expect(total.characters).toBe(parts.reduce((sum, { characters }) => sum + characters, 0));
    expect(total.tokens).toBe(parts.reduce((sum, { tokens }) => sum + tokens, 0));
    const end = stdout.slice(at);
    expect(end).toMatch(new RegExp(`total +${count(total.characters)} +${count(total.tokens)}\n`));
    expect(end).toContain('left out: nothing\ninputs: brief.md');
  });

  it('names what does not fit the context', async () => {
    project = smallProject();
    project.write('.blueprint/config.yaml', 'contextTokens: 1000\n');
    project.write(`${FOLDER}/brief.md`, `${'A long brief. '.repeat(1000)}\n`);
    expect((await contextOf('spec')).leftOut).toContain('brief.md');
    expect((await project.run('context', 'farewell', '--stage', 'spec')).stdout).toMatch(/^left out: .*brief\.md/m);
  });

  it('writes nothing', async () => {
    project = smallProject();
    await runSmall(project, repeated(1), '--pause-after', 'stories');
    const before = { files: everything(), tree: treeOf(project.root), journals: journalsOf(project.root) };
    await contextOf('tests');
    expect({ files: everything(), tree: treeOf(project.root), journals: journalsOf(project.root) }).toEqual(before);
  });

  it('is shown while a run of the feature holds the lock', async () => {
    project = smallProject();
    const running = runSmall(
      project,
      repeated(1).map((turn) => (turn.stage === 'spec' ? { ...turn, delay: 4000 } : turn)),
      '--pause-after',
      'spec',
    );
    for (let round = 0; round < 200 && journalsOf(project.root).flat().length < 3; round += 1) {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    expect(await contextOf('spec')).toMatchObject({ attempt: 1, open: true });
    expect((await running).code).toBe(0);
  });

  it('holds the failure and the number of the attempt after one that failed', async () => {
    project = smallProject();
    expect((await runSmall(project, truncated)).code).toBe(1);
    const shown = await contextOf('plan');
    expect(shown).toMatchObject({ attempt: 2 });
    expect(shown.parts.at(-1)?.text).toContain('Why the last attempt failed');
    expect((await project.run('resume', 'farewell', '--pause-after', 'plan')).code).toBe(0);
    expect(textsOf(shown)).toEqual(recordedParts('plan'));
  });

  it('holds an edit of yours that no run has seen yet', async () => {
    project = smallProject();
    await runSmall(project, repeated(), '--pause-after', 'stories');
    project.write(STORY, project.read(STORY).replace('I leave in good mood', 'I leave in a very good mood'));
    const shown = await contextOf('cass');
    expect(shown.parts.at(-1)?.text).toContain('What a person has changed');
    expect((await project.run('resume', 'farewell', '--from', 'stories', '--yes', '--pause-after', 'stories')).code).toBe(0);
    expect(textsOf(shown)).toEqual(recordedParts('stories'));
  });

  it('of a finished run is what the first attempt of the next run would be told', async () => {
    project = smallProject();
    expect((await runSmall(project, truncated, '--yes')).code).toBe(0);
    const shown = await contextOf('plan');
    expect(shown).toMatchObject({ attempt: 1 });
    expect((await project.run('resume', 'farewell', '--from', 'plan', '--pause-after', 'plan')).code).toBe(1);
    expect(journalsOf(project.root)).toHaveLength(2);
    expect(textsOf(shown)).toEqual(recordedParts('plan'));
  });

  it('of an open attempt is its recorded prompt, until its inputs change', async () => {
    project = smallProject();
    const withoutPlan = repeated(1).filter(({ stage }) => stage !== 'plan');
    expect((await runSmall(project, withoutPlan)).code).toBe(4);
    // Another prompt would be composed now; the recorded one holds all the same.
    project.write('.blueprint/templates/prompts/plan.md.hbs', 'Another {{feature}} {{stage}} {{submitTool}}\n{{> context}}\n');
    const open = await contextOf('plan');
    expect(open).toMatchObject({ attempt: 1, open: true });
    expect(textsOf(open)).toEqual(recordedParts('plan'));
    const { stdout } = await project.run('context', 'farewell', '--stage', 'plan');
    expect(stdout.split('\n')[0]).toContain('attempt 1 is open and goes on with its recorded prompt');
    project.write(STORY, project.read(STORY).replace('it is "Goodbye, Ada!"', 'it is exactly "Goodbye, Ada!"'));
    const changed = await contextOf('plan');
    expect(changed).toMatchObject({ attempt: 2, superseded: expect.stringContaining('AC-1 has changed') as string });
    expect(changed).not.toHaveProperty('open');
    expect(changed.parts.at(-1)?.text).toContain('Another farewell');
  });

  it.each([
    [['farewell'], /Missing --stage.*spec, stories, tests, plan, implement\./s],
    [['farewell', '--stage', 'verify'], /verify is a program step.*spec, stories, tests, plan, implement\./s],
    [['farewell', '--stage', 'commit'], /commit is a program step/],
    [['farewell', '--stage', 'storys'], /Unexpected step "storys".*Did you mean stories\?/s],
    [['farewel', '--stage', 'spec'], /There is no feature "farewel".*Did you mean farewell\?/s],
    [['farewell', '--stage', ''], /empty value for --stage/],
    [[], /slug/],
  ])('%j ends with exit 2 and one message', async (args, message) => {
    project = smallProject();
    project.write(`${FOLDER}/brief.md`, `${BRIEF_TEXT}\n`);
    const { code, stdout, stderr } = await project.run('context', ...args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(message);
  });

  it.each([
    ['codey', 'implement'],
    ['developer', 'implement'],
    ['nigel', 'tests'],
    ['ba', 'stories'],
    ['codey-plan', 'plan'],
  ])('%s names the stage %s', async (word, stage) => {
    project = smallProject();
    project.write(`${FOLDER}/brief.md`, `${BRIEF_TEXT}\n`);
    expect((await contextOf(word)).stage).toBe(stage);
  });
});
