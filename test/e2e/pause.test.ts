import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { journalsOf, writeReplies, type TestProject } from '../helpers/project.ts';
import { FOLDER, lastSeq, repeated, runSmall, smallProject, stepsBegun, STORY } from '../helpers/small.ts';

let project: TestProject;
afterEach(() => project.remove());

const NAMES: [string, string][] = [
  ['spec', 'spec'],
  ['alex', 'spec'],
  ['stories', 'stories'],
  ['ba', 'stories'],
  ['cass', 'stories'],
  ['tests', 'tests'],
  ['tester', 'tests'],
  ['nigel', 'tests'],
  ['plan', 'plan'],
  ['codey-plan', 'plan'],
  ['implement', 'implement'],
  ['codey-implement', 'implement'],
  ['codey', 'verify'],
  ['developer', 'verify'],
  ['verify', 'verify'],
  ['commit', 'commit'],
];

const TEST = 'test/farewell.test.js';

describe('--pause-after', () => {
  it.each(NAMES)('%s pauses after step %s', async (name, step) => {
    project = smallProject();
    const { code, stdout } = await runSmall(project, repeated(), '--pause-after', name);
    expect(code).toBe(0);
    expect(stepsBegun(project).at(-1)).toBe(step);
    expect(stdout).toContain('blueprint resume farewell');
  });

  it('at every step, one after another, comes to the same end as a run without a pause', async () => {
    project = smallProject();
    const steps = ['spec', 'stories', 'tests', 'plan', 'implement', 'verify', 'commit'];
    await runSmall(project, repeated(), '--pause-after', steps.join(','));
    for (const step of steps.slice(1)) {
      const { code } = await project.run('resume', 'farewell', '--pause-after', steps.join(','));
      expect(code).toBe(0);
      expect(stepsBegun(project).at(-1)).toBe(step);
    }
    expect((await project.run('resume', 'farewell')).code).toBe(0);
    expect(stepsBegun(project)).toEqual(steps);
    expect(project.git('log', '-1', '--format=%s')).toContain('feat(farewell)');
  });

  it('pauses at several steps, again on resume', async () => {
    project = smallProject();
    await runSmall(project, repeated(), '--pause-after', 'spec,ba');
    expect(stepsBegun(project)).toEqual(['spec']);
    await project.run('resume', 'farewell', '--pause-after', 'ba');
    expect(stepsBegun(project)).toEqual(['spec', 'stories']);
  });

  it('refuses a name that is none, with the near one', async () => {
    project = smallProject();
    const { code, stderr } = await runSmall(project, repeated(), '--pause-after', 'storys');
    expect(code).toBe(2);
    expect(stderr).toContain('stories');
  });
});

describe('an edit while paused', () => {
  it('to one criterion makes tests, plan and implement again, not spec or stories', async () => {
    project = smallProject();
    await runSmall(project, repeated(), '--pause-after', 'codey');
    const before = lastSeq(project);
    project.write(STORY, project.read(STORY).replace('it is "Goodbye, Ada!"', 'it is exactly "Goodbye, Ada!"'));
    const status = await project.run('status', 'farewell');
    expect(status.stdout).toContain('story-say-farewell.md#AC-1 has changed');
    const { code } = await project.run('resume', 'farewell');
    expect(code).toBe(0);
    expect(stepsBegun(project, before)).toEqual(['tests', 'plan', 'implement', 'commit']);
    expect(project.git('show', `HEAD:${STORY}`)).toContain('it is exactly');
  });

  it.each([
    ['CRLF line ends', (text: string) => text.replaceAll('\n', '\r\n')],
    ['a byte order mark', (text: string) => `\uFEFF${text}`],
    ['trailing blanks and more blank lines', (text: string) => text.replaceAll('\n\n', '  \n\n\n\n')],
    ['no last newline', (text: string) => text.trimEnd()],
  ])('of white space (%s) makes nothing again', async (_name, edit) => {
    project = smallProject();
    await runSmall(project, repeated(), '--pause-after', 'codey');
    const before = lastSeq(project);
    project.write(STORY, edit(project.read(STORY)));
    expect((await project.run('resume', 'farewell')).code).toBe(0);
    expect(stepsBegun(project, before)).toEqual(['commit']);
  });

  it('is never overwritten when the stage runs again: without a terminal the run stops, and --yes keeps it', async () => {
    project = smallProject();
    await runSmall(project, repeated(), '--pause-after', 'ba');
    const mine = project.read(STORY).replace('I leave in good mood', 'I leave in a very good mood');
    project.write(STORY, mine);
    const stopped = await project.run('resume', 'farewell', '--from', 'stories');
    expect(stopped.code).toBe(3);
    expect(stopped.stderr).toContain(STORY);
    expect(project.read(STORY)).toBe(mine);
    const kept = await project.run('resume', 'farewell', '--yes');
    expect(kept.code).toBe(0);
    expect(project.read(STORY)).toBe(mine);
  });

  it('is shown to the role whose stage is made again, also to the first of all', async () => {
    project = smallProject();
    await runSmall(project, repeated(), '--pause-after', 'spec');
    const path = `${FOLDER}/FEATURE_SPEC.md`;
    project.write(path, project.read(path).replace('visitors are seen off by name', 'visitors are seen off by their whole name'));
    const replies = repeated().map((turn) =>
      turn.stage === 'spec' && turn.attempt === 2 ? { ...turn, expect: ['What a person has changed', 'by their whole name'] } : turn,
    );
    const engine = writeReplies(project, 'again.yaml', replies);
    const again = await project.run('resume', 'farewell', '--from', 'spec', '--engine', engine, '--yes', '--pause-after', 'spec');
    expect(again).toMatchObject({ code: 0 });
    expect(project.read(path)).toContain('by their whole name');
  });

  it('that removes an artifact stops nothing whose stage has begun to make it again', async () => {
    project = smallProject();
    await runSmall(project, repeated(), '--pause-after', 'spec');
    const none = writeReplies(project, 'none.yaml', []);
    expect((await project.run('resume', 'farewell', '--from', 'spec', '--engine', none)).code).toBe(4);
    rmSync(join(project.root, FOLDER, 'FEATURE_SPEC.md'));
    const engine = writeReplies(project, 'again.yaml', repeated());
    expect(await project.run('resume', 'farewell', '--from', 'spec', '--engine', engine, '--yes', '--pause-after', 'spec')).toMatchObject({
      code: 0,
    });
  });

  it('is replaced when a person says so, and saved first', async () => {
    project = smallProject();
    await runSmall(project, repeated(), '--pause-after', 'ba');
    const original = project.read(STORY);
    project.write(STORY, original.replace('I leave in good mood', 'I leave in a very good mood'));
    const { code, stderr } = await project.run('resume', 'farewell', '--from', 'stories', '--take-new', '--pause-after', 'ba');
    expect(code).toBe(0);
    expect(project.read(STORY)).toBe(original);
    expect(stderr).toMatch(/saved as .*patches/);
  });

  it.each([
    ['broken front matter', (text: string) => text.replace('kind: story', 'kind: story: yes'), /story-say-farewell\.md:2:/],
    ['conflict markers', (text: string) => `${text}\n<<<<<<< HEAD\na\n=======\nb\n>>>>>>> other\n`, /story-say-farewell\.md:\d+:1/],
    ['a criterion without a result', (text: string) => text.replace(/- \*\*Then:\*\* it is.*\n/, ''), /story-say-farewell\.md:\d+/],
  ])('that leaves %s stops the run with its place, and goes on when it is mended', async (_name, edit, place) => {
    project = smallProject();
    await runSmall(project, repeated(), '--pause-after', 'ba');
    const original = project.read(STORY);
    project.write(STORY, edit(original));
    const stopped = await project.run('resume', 'farewell');
    expect(stopped.code).toBe(3);
    expect(stopped.stderr).toMatch(place);
    project.write(STORY, original);
    expect((await project.run('resume', 'farewell')).code).toBe(0);
  });

  it('of a protected test is asked for, and taken with --yes', async () => {
    project = smallProject();
    await runSmall(project, repeated(), '--pause-after', 'tests');
    const mine = `${project.read('test/farewell.test.js')}\n// checked by me\n`;
    project.write('test/farewell.test.js', mine);
    expect((await project.run('resume', 'farewell')).code).toBe(3);
    expect((await project.run('resume', 'farewell', '--yes')).code).toBe(0);
    expect(project.git('show', 'HEAD:test/farewell.test.js')).toBe(mine);
  });

  it('of a protected test before there is code is seen red again, and its criteria are proven by it', async () => {
    project = smallProject();
    await runSmall(project, repeated(), '--pause-after', 'tests');
    project.write(TEST, project.read(TEST).replace("farewell('Ada'), 'Goodbye, Ada!'", "farewell('Bob'), 'Goodbye, Bob!'"));
    const { code, stdout } = await project.run('resume', 'farewell', '--yes');
    expect(code).toBe(0);
    expect(stdout).toContain('2 of 2 proven');
    const reds = (journalsOf(project.root)[0] ?? []).filter(({ type, data }) => type === 'command-end' && data['purpose'] === 'red');
    expect(reds).toHaveLength(2);
  });

  it('of a protected test that leaves it unable to run stops the run before the edit counts', async () => {
    project = smallProject();
    await runSmall(project, repeated(), '--pause-after', 'tests');
    const original = project.read(TEST);
    project.write(TEST, original.replaceAll('story-say-farewell:AC-1', 'no id'));
    const stopped = await project.run('resume', 'farewell', '--yes');
    expect(stopped.code).toBe(3);
    expect(stopped.stderr).toContain('story-say-farewell:AC-1');
    project.write(TEST, original);
    expect((await project.run('resume', 'farewell')).code).toBe(0);
  });

  it('of a protected test after the code is there proves nothing, and the outcome says so', async () => {
    project = smallProject();
    await runSmall(project, repeated(), '--pause-after', 'implement');
    project.write(TEST, `${project.read(TEST)}\n// looked at by me\n`);
    const { code, stdout } = await project.run('resume', 'farewell', '--yes');
    expect(code).toBe(0);
    expect(stdout).toContain('0 of 2 proven');
    expect(stdout).toContain('edited since they were seen red: story-say-farewell:AC-1, story-say-farewell:AC-2');
  });

  it('of a protected test is not overwritten when the tests are made again', async () => {
    project = smallProject();
    await runSmall(project, repeated(), '--pause-after', 'tests');
    const mine = `${project.read(TEST)}\n// mine\n`;
    project.write(TEST, mine);
    project.write(STORY, project.read(STORY).replace('it is "Goodbye, Ada!"', 'it is exactly "Goodbye, Ada!"'));
    await project.run('resume', 'farewell', '--yes', '--pause-after', 'tests');
    expect(project.read(TEST)).toBe(mine);
    const taken = await project.run('resume', 'farewell', '--from', 'tests', '--take-new', '--pause-after', 'tests');
    expect(taken.code).toBe(0);
    expect(project.read(TEST)).not.toBe(mine);
    expect(taken.stderr).toMatch(/saved as .*patches/);
  });

  it('that removes an artifact is mended the way the message says', async () => {
    project = smallProject();
    await runSmall(project, repeated(), '--pause-after', 'ba');
    const { rmSync } = await import('node:fs');
    rmSync(`${project.root}/${STORY}`);
    const stopped = await project.run('resume', 'farewell');
    expect(stopped.code).toBe(3);
    const hinted = /blueprint (resume farewell --from \w+)/.exec(stopped.stderr)?.[1] ?? '';
    expect((await project.run(...hinted.split(' '))).code).toBe(0);
    expect(project.git('show', `HEAD:${STORY}`)).toContain('AC-2');
  });

  it('of the brief after the end opens a new run that makes again what is stale', async () => {
    project = smallProject();
    await runSmall(project);
    project.write(`${FOLDER}/brief.md`, 'See visitors off by name, in style.\n');
    const { code } = await project.run('feature', 'farewell');
    expect(code).toBe(0);
    const [first, second] = journalsOf(project.root);
    expect(second?.[0]?.data['parent']).toBe(first?.[0]?.data['run']);
    expect(stepsBegun(project)[0]).toBe('spec');
  });
});

describe('a fresh clone without a journal', () => {
  it('adopts artifacts that are fresh and verifies the code instead of making it again', async () => {
    project = smallProject();
    await runSmall(project);
    const { rmSync } = await import('node:fs');
    rmSync(`${project.root}/.blueprint/runs`, { recursive: true });
    const { code, stderr } = await runSmall(project);
    expect(code).toBe(0);
    expect(stderr).toMatch(/adopted/);
    expect(stepsBegun(project)).toEqual(['verify', 'commit']);
  });
});
