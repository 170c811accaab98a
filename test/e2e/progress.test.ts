import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { smallReplies } from '../fixtures/small.replies.mjs';
import { writeReplies, type TestProject, type TranscriptTurn } from '../helpers/project.ts';
import { BRIEF_TEXT, repeated, runSmall, smallProject, STORY } from '../helpers/small.ts';
import { hasTerminal, runInTerminal, screenOf } from '../helpers/terminal.ts';

const FRAMES = /[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]/;

let project: TestProject;
beforeEach(() => void (project = smallProject()));
afterEach(() => project.remove());

/** The small feature by roles that take their time. */
function slowReplies(delay: number): TranscriptTurn[] {
  return smallReplies().map((turn) => ({ ...turn, delay }));
}

function feature(delay: number): string[] {
  return ['feature', 'farewell', '--brief', BRIEF_TEXT, '--engine', writeReplies(project, 'replies.yaml', slowReplies(delay))];
}

describe.skipIf(!hasTerminal())('in a terminal', () => {
  it('a live line is drawn in place and erased, and the outcome stands in the end', async () => {
    const { code, raw } = await runInTerminal(feature(400), { cwd: project.root, env: project.env, columns: 60 });
    expect(code).toBe(0);
    const frames = raw.split('\r').filter((piece) => FRAMES.test(piece[0] ?? ''));
    expect(new Set(frames.map((frame) => frame[0])).size).toBeGreaterThan(2);
    expect(frames.some((frame) => /^. implement · Codey · .*\d s/.test(frame))).toBe(true);
    const screen = screenOf(raw);
    expect(screen.join('\n')).not.toMatch(FRAMES);
    expect(screen).toContain('▸ implement · Codey (developer)');
    expect(screen).toContain('Feature farewell is done.');
  });

  it('an interrupt ends the run as ever, and its message begins a line of its own', async () => {
    const keys = { when: '▸ stories', type: '\u0003' };
    const { code, raw } = await runInTerminal(feature(1_000), { cwd: project.root, env: project.env, columns: 60, keys });
    expect(code).toBe(130);
    const screen = screenOf(raw);
    expect(screen.join('\n')).not.toMatch(FRAMES);
    expect(screen.filter((line) => line.startsWith('error: '))).toHaveLength(1);
  });

  it('while a question is asked there is no live line, and it comes back with the answer', async () => {
    const replies = repeated().map((turn) => ({ ...turn, delay: turn.stage === 'stories' || turn.stage === 'tests' ? 500 : 0 }));
    await runSmall(project, replies, '--pause-after', 'ba');
    project.write(STORY, project.read(STORY).replace('I leave in good mood', 'I leave in a very good mood'));
    // What the terminal shows of the first choice when the question is drawn.
    const keys = { when: '●', type: '\r', after: 1 };
    const args = ['resume', 'farewell', '--from', 'stories', '--pause-after', 'nigel'];
    const { code, raw } = await runInTerminal(args, { cwd: project.root, env: project.env, columns: 100, keys });
    expect(code).toBe(0);
    const asked = raw.indexOf('? ');
    const answered = raw.indexOf('  answer: ');
    expect(asked).toBeGreaterThan(0);
    expect(answered).toBeGreaterThan(asked);
    expect(raw.slice(0, asked)).toMatch(FRAMES);
    expect(raw.slice(asked, answered)).not.toMatch(FRAMES);
    expect(raw.slice(answered)).toMatch(FRAMES);
  });

  it('--json on the same screen keeps its lines whole', async () => {
    const { code, raw } = await runInTerminal([...feature(200), '--json'], { cwd: project.root, env: project.env, columns: 60 });
    expect(code).toBe(0);
    expect(raw).toMatch(FRAMES);
    const documents = screenOf(raw).filter((line) => line.startsWith('{'));
    expect(documents.length).toBeGreaterThan(20);
    for (const document of documents) expect(() => JSON.parse(document) as unknown).not.toThrow();
  });

  it.each([
    ['CI', { CI: 'true' }, []],
    ['--quiet', {}, ['--quiet']],
  ])('nothing is drawn with %s', async (_what, more, switches) => {
    const { code, raw } = await runInTerminal([...feature(150), ...switches], {
      cwd: project.root,
      env: { ...project.env, ...more },
      columns: 60,
    });
    expect(code).toBe(0);
    expect(raw).not.toMatch(FRAMES);
    expect(raw).not.toContain('\u001b');
  });
});

describe('in a pipe', () => {
  it('there are whole lines only, without an escape code or a carriage return', async () => {
    const { code, stderr } = await runSmall(project, slowReplies(150));
    expect(code).toBe(0);
    expect(stderr).toContain('▸ implement');
    expect(stderr).not.toMatch(FRAMES);
    expect(stderr).not.toContain('\u001b');
    expect(stderr).not.toContain('\r');
  });

  it('with --json what arrives of a reply is not streamed', async () => {
    const { stdout } = await runSmall(project, slowReplies(0), '--json');
    expect(stdout).toContain('"type":"turn-end"');
    expect(stdout).not.toContain('reply-progress');
  });
});
