import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { journalsOf, REPOSITORY, type TestProject } from '../helpers/project.ts';
import { FOLDER, repeated, runSmall, smallProject, stepsBegun, STORY } from '../helpers/small.ts';

let project: TestProject;
afterEach(() => project.remove());

const shipped = (path: string): string => readFileSync(join(REPOSITORY, path), 'utf8');

const REVIEWER = `---
role: security-reviewer
persona: Rita
reads: [story, test-spec]
tools: [read_file]
---
You look for what an attacker would try.
`;

describe('what a project adds or overrides by files', () => {
  it('a role and a stage: a security reviewer after the tester hands in a report, and the developer reads it', async () => {
    project = smallProject();
    project.write('.blueprint/agents/security-reviewer.md', REVIEWER);
    project.write('.blueprint/config.yaml', 'stages:\n  - { name: security-review, role: security-reviewer, after: tests }\n');
    const handOff = { decisions: ['Nothing to fear.'], files: [], openQuestions: [], critical: [] };
    const input = {
      title: 'Security of farewells',
      findings: [{ severity: 'warning', text: 'Names are not escaped.' }],
      sections: [{ heading: 'Scope', body: 'One function.' }],
      handOff,
    };
    const replies = repeated(1).map((turn) => (turn.stage === 'plan' ? { ...turn, expect: ['Names are not escaped.'] } : turn));
    const { code } = await runSmall(project, [
      ...replies,
      {
        stage: 'security-review',
        turn: 1,
        expect: ['what an attacker would try', 'story-say-farewell:AC-1'],
        calls: [{ tool: 'submit_report', input }],
      },
    ]);
    expect(code).toBe(0);
    expect(stepsBegun(project)).toEqual(['spec', 'stories', 'tests', 'security-review', 'plan', 'implement', 'verify', 'commit']);
    expect(project.read(`${FOLDER}/report-security-review.md`)).toContain('Names are not escaped.');
    const paused = await project.run('feature', 'farewell', '--new', '--pause-after', 'security-reviewer', '--yes');
    expect(paused.stderr).not.toContain('Unexpected step');
  });

  it('an artifact template: the artifact looks as the project wants it', async () => {
    project = smallProject();
    project.write(
      '.blueprint/templates/artifacts/story.md.hbs',
      shipped('templates/artifacts/story.md.hbs').replace('## ', '<!-- our house style -->\n\n## '),
    );
    expect((await runSmall(project, repeated(), '--pause-after', 'ba')).code).toBe(0);
    expect(project.read(STORY)).toContain('our house style');
  });

  it('a template that loses a field is refused before anything runs, with the field', async () => {
    project = smallProject();
    const without = shipped('templates/artifacts/story.md.hbs')
      .split('\n')
      .filter((line) => !line.includes('soThat'))
      .join('\n');
    project.write('.blueprint/templates/artifacts/story.md.hbs', without);
    const { code, stderr } = await runSmall(project);
    expect(code).toBe(2);
    expect(stderr).toMatch(/story\.md\.hbs/);
    expect(stderr).toMatch(/soThat/);
    expect(journalsOf(project.root)).toEqual([]);
  });

  it.each([
    ['artifacts/story.md.hbs', '# Story\n\n{{#each criteria}}\n'],
    ['prompts/plan.md.hbs', 'Plan it.\n{{#if failure}}\n{{> context}\n'],
  ])('a template with a syntax error (%s) is refused with file, line and column', async (name, text) => {
    project = smallProject();
    project.write(`.blueprint/templates/${name}`, text);
    const { code, stderr } = await runSmall(project);
    expect(code).toBe(2);
    expect(stderr).toMatch(new RegExp(`${name.replace('.', '\\.')}:\\d+:\\d+`));
    expect(journalsOf(project.root)).toEqual([]);
  });

  it('a role with broken front matter is refused with file, line and column', async () => {
    project = smallProject();
    project.write('.blueprint/agents/tester.md', '---\nrole: tester\npersona: Nina\nreads: [story, tests]\n---\nTest it.\n');
    const { code, stderr } = await runSmall(project);
    expect(code).toBe(2);
    expect(stderr).toMatch(/agents\/tester\.md:4:\d+/);
  });

  it('a changed role shows as an older recipe and makes nothing stale', async () => {
    project = smallProject();
    await runSmall(project);
    project.write('.blueprint/agents/ba.md', shipped('agents/ba.md').replace('business analyst', 'analyst of this house'));
    const { stdout } = await project.run('status', 'farewell', '--json');
    const [feature] = (
      JSON.parse(stdout) as {
        features: { steps: { state: string }[]; artifacts: { path: string; olderRecipe: boolean; state: string }[] }[];
      }
    ).features;
    expect(feature?.artifacts.filter(({ olderRecipe }) => olderRecipe).map(({ path }) => path)).toEqual([
      `${FOLDER}/hand-off-stories.md`,
      STORY,
    ]);
    expect(feature?.steps.every(({ state }) => state === 'passed')).toBe(true);
  });

  it('an unknown key in the configuration is refused at its place with the near one', async () => {
    project = smallProject();
    project.write('.blueprint/config.yaml', 'systemSpec: .blueprint/SYSTEM_SPEC.md\nlimts: { turns: 3 }\n');
    const { code, stderr } = await runSmall(project);
    expect(code).toBe(2);
    expect(stderr).toContain('config.yaml:2:1');
    expect(stderr).toContain('limits');
  });
});
