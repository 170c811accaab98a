import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { answersWith, apiProject, KEY, stageOf, type ApiProject } from '../helpers/api.ts';
import { smallReplies } from '../fixtures/small.replies.mjs';
import { BIN, journalsOf, type TranscriptTurn } from '../helpers/project.ts';
import { BRIEF_TEXT, FOLDER, repeated, smallProject, runSmall } from '../helpers/small.ts';

let subject: ApiProject | undefined;
afterEach(async () => {
  await subject?.end();
  subject = undefined;
});

const lastEvent = (): unknown => journalsOf(subject?.project.root ?? '')[0]?.at(-1);

/** Each reply costs $0.10: 10,000 tokens at $10 for a million. */
const DEAR = 'anthropic: { model: m-1 }\nprices: { m-1: { input: 10, output: 10 } }\n';
const dear: Parameters<typeof apiProject>[0] = async (body, index, headers) => ({
  ...(await answersWith({})(body, index, headers)),
  usage: { input_tokens: 9000, output_tokens: 1000 },
});

describe('a limit of a run', () => {
  it('of turns stops it, resumable, and it stays until another command raises it', async () => {
    subject = await apiProject();
    const { project, api, feature } = subject;
    const stopped = await feature('--max-turns', '3');
    expect(stopped.code).toBe(3);
    expect(stopped.stderr).toContain('The run has used 3 turns; its limit is 3.');
    expect(stopped.stderr).toContain('blueprint resume farewell --max-turns 6');
    expect(api.requests).toHaveLength(3);
    expect(lastEvent()).toMatchObject({ type: 'run-paused', data: { step: 'plan', kind: 'turns' } });

    expect((await project.run('resume', 'farewell')).code).toBe(3);
    expect(api.requests).toHaveLength(3);
    expect((await project.run('resume', 'farewell', '--max-turns', 'none')).code).toBe(0);
    expect(api.requests).toHaveLength(6);
  });

  it('of money stops it at most one turn later', async () => {
    subject = await apiProject(dear, { config: DEAR });
    const { project, api, feature } = subject;
    const stopped = await feature('--budget', '0.25');
    expect(stopped.code).toBe(3);
    expect(stopped.stderr).toContain('The run has cost $0.30; its budget is $0.25.');
    expect(api.requests).toHaveLength(3);
    const status = JSON.parse((await project.run('status', 'farewell', '--json')).stdout) as {
      features: { cost: number; steps: { step: string; cost: number }[] }[];
    };
    expect(status.features[0]?.cost).toBeCloseTo(0.3);
    expect(status.features[0]?.steps.find(({ step }) => step === 'spec')?.cost).toBeCloseTo(0.1);
    expect((await project.run('resume', 'farewell', '--budget', '5')).code).toBe(0);
  });

  it('of money is refused before anything is spent when the price is unknown', async () => {
    subject = await apiProject(undefined, { config: 'anthropic: { model: claude-nobody-knows }\n' });
    const { code, stderr } = await subject.feature('--budget', '1');
    expect(code).toBe(2);
    expect(stderr).toContain('The price of claude-nobody-knows is unknown');
    expect(subject.api.requests).toHaveLength(0);
    expect(journalsOf(subject.project.root)).toEqual([]);
  });

  it('of money is refused for a run of which a part has no price, and nothing of it is kept', async () => {
    subject = await apiProject(undefined, { config: 'anthropic: { model: m-1 }\n' });
    const { project, feature } = subject;
    expect((await feature('--pause-after', 'spec')).code).toBe(0);
    const { code, stderr } = await project.run('resume', 'farewell', '--model', 'claude-opus-5-5', '--budget', '1');
    expect({ code, names: stderr.includes('The price of m-1, which has played a part of this run,') }).toEqual({ code: 2, names: true });
    expect((await project.run('resume', 'farewell', '--pause-after', 'stories')).code).toBe(0);
  });

  it('of money is refused for recorded replies too', async () => {
    const project = smallProject();
    expect(await runSmall(project, repeated(1), '--budget', '1')).toMatchObject({ code: 2 });
    project.remove();
  });

  it('of time stops it, and counts anew with each command', async () => {
    subject = await apiProject();
    const stopped = await subject.feature('--max-time', '0.00001');
    expect(stopped.code).toBe(3);
    expect(lastEvent()).toMatchObject({ data: { kind: 'time' } });
    expect((await subject.project.run('resume', 'farewell', '--max-time', '10')).code).toBe(0);
  });

  it('may stand in the configuration', async () => {
    subject = await apiProject(undefined, { config: 'run: { turns: 2 }\n' });
    expect((await subject.feature()).code).toBe(3);
    expect(subject.api.requests).toHaveLength(2);
  });

  it.each([
    ['--budget', '-1'],
    ['--budget', 'much'],
    ['--max-turns', '1.5'],
    ['--max-turns', '0'],
    ['--max-time', ''],
  ])('is a number above 0: not %s %s', async (option, value) => {
    subject = await apiProject();
    expect((await subject.feature(option, value)).code).toBe(2);
    expect(subject.api.requests).toHaveLength(0);
  });
});

describe('which model plays a role', () => {
  const models = (): Record<string, string> =>
    Object.fromEntries((subject?.api.requests ?? []).map(({ body }) => [stageOf(body as never), (body as { model: string }).model]));

  it('is told by the configuration, by the role, and before both by --model', async () => {
    subject = await apiProject(undefined, { config: 'anthropic: { model: claude-of-config, effort: low }\n' });
    const { project } = subject;
    const role = (await import('node:fs')).readFileSync(new URL('../../agents/tester.md', import.meta.url), 'utf8');
    project.write('.blueprint/agents/tester.md', role.replace('limits:', 'model: claude-of-role\neffort: max\nlimits:'));
    expect((await subject.feature('--pause-after', 'tests')).code).toBe(0);
    expect(models()).toEqual({ spec: 'claude-of-config', stories: 'claude-of-config', tests: 'claude-of-role' });
    const efforts = subject.api.requests.map(({ body }) => (body as { output_config?: { effort?: string } }).output_config?.effort);
    expect(efforts).toEqual(['low', 'low', 'max']);
    expect((await project.run('resume', 'farewell', '--model', 'claude-of-option', '--effort', 'xhigh')).code).toBe(0);
    expect(models()).toMatchObject({ tests: 'claude-of-role', plan: 'claude-of-option', implement: 'claude-of-option' });
    expect(subject.api.requests.at(-1)?.body).toMatchObject({ output_config: { effort: 'xhigh' } });
  });

  it('is not carried to another engine that the configuration names meanwhile', async () => {
    subject = await apiProject();
    const { project, feature, api } = subject;
    expect((await feature('--model', 'claude-first', '--pause-after', 'spec')).code).toBe(0);
    project.write('.blueprint/config.yaml', `engine: anthropic:${api.url}\nanthropic: { model: claude-second }\n`);
    expect((await project.run('resume', 'farewell', '--pause-after', 'stories')).code).toBe(0);
    expect(models()).toMatchObject({ spec: 'claude-first', stories: 'claude-second' });
  });

  it('is asked of no transcript', async () => {
    const project = smallProject();
    const { code, stderr } = await runSmall(project, repeated(1), '--model', 'x');
    expect({ code, told: stderr.includes('a transcript has no model') }).toEqual({ code: 2, told: true });
    project.remove();
  });
});

describe('a key', () => {
  it('that is missing ends with exit 4 and names the variable', async () => {
    subject = await apiProject();
    delete subject.project.env['ANTHROPIC_API_KEY'];
    delete subject.project.env['ANTHROPIC_BASE_URL'];
    const { code, stderr } = await subject.feature();
    expect(code).toBe(4);
    expect(stderr).toContain('Set ANTHROPIC_API_KEY in the environment');
  });

  it.each([
    'anthropic: { baseUrl: "https://elsewhere.example", model: m }',
    'anthropic: { baseUrl: "http://127.evil.example", model: m }',
    'anthropic: { baseUrl: "http://api.anthropic.com", model: m }',
  ])('is not given to a host that only a file of the project names: %s', async (config) => {
    subject = await apiProject(undefined, { config: `${config}\n` });
    delete subject.project.env['ANTHROPIC_BASE_URL'];
    const { code, stderr } = await subject.feature();
    expect(code).toBe(2);
    expect(stderr).toContain('a key is not given to a host that only a project');
  });

  it('in a file of the project is refused without being repeated', async () => {
    subject = await apiProject(undefined, { config: `anthropic: { key: ${KEY} }\n` });
    const { code, stdout, stderr } = await subject.feature();
    expect(code).toBe(2);
    expect(stdout + stderr).not.toContain(KEY);
  });

  it('is taken from the variable that the configuration names, and that is redacted and kept from commands too', async () => {
    const other = 'k-0123456789-abcdefgh';
    const print = {
      content: [{ type: 'tool_use', id: 'toolu_p', name: 'run_command', input: { command: `echo "[$WORK_API_KEY]"; echo ${other}` } }],
    };
    subject = await apiProject(answersWith({ implement: [print] }), { key: other, config: 'anthropic: { keyVariable: WORK_API_KEY }\n' });
    subject.project.env['WORK_API_KEY'] = other;
    expect((await subject.feature()).code).toBe(0);
    const sent = JSON.stringify(subject.api.requests.map(({ body }) => body));
    expect(sent).not.toContain(other);
    expect(sent).toContain('[]\\n[redacted]');
  });

  it.each([
    ['the place of a key', { GOOGLE_APPLICATION_CREDENTIALS: '' }],
    ["a word that servers of one's own take for a key", { ANTHROPIC_AUTH_TOKEN: 'farewell' }],
  ])('%s is no key: paths, names and branches stay as they are', async (_, env) => {
    const project = smallProject();
    Object.assign(
      project.env,
      env,
      'GOOGLE_APPLICATION_CREDENTIALS' in env ? { GOOGLE_APPLICATION_CREDENTIALS: `${dirname(project.root)}/key-12345.json` } : {},
    );
    expect((await runSmall(project, repeated(1))).code).toBe(0);
    expect(project.git('rev-parse', '--abbrev-ref', 'HEAD').trim()).toBe('blueprint/farewell');
    expect(project.git('status', '--porcelain')).toBe('');
    project.remove();
  });

  it('of the project is in no finding either, though a test reports it', async () => {
    const secret = 'sk-live-0123456789abcdef';
    const turns = (smallReplies() as TranscriptTurn[]).map((turn) =>
      turn.stage === 'tests'
        ? (JSON.parse(
            JSON.stringify(turn)
              .replace("assert.equal(farewell('Ada'), 'Goodbye, Ada!');", "assert.equal(farewell('Ada'), readFileSync('.env', 'utf8'));")
              .replace('import assert from', "import { readFileSync } from 'node:fs';\\nimport assert from"),
          ) as TranscriptTurn)
        : turn,
    );
    const project = smallProject();
    project.write('.env', `PAY_API_KEY=${secret}\n`);
    const { code, stdout, stderr } = await runSmall(project, turns);
    expect(code).not.toBe(0);
    expect(stderr).toContain('implement');
    expect(stdout + stderr).not.toContain(secret);
    expect(execFileSync('sh', ['-c', `grep -rl ${secret} .blueprint || true`], { cwd: project.root }).toString()).toBe('');
    expect(execFileSync('sh', ['-c', 'grep -rl "PAY_API_KEY=.redacted." .blueprint/runs'], { cwd: project.root }).toString()).not.toBe('');
    project.remove();
  });

  it('of the project, in its .env, is neither stored nor sent though a command prints it', async () => {
    const print = { content: [{ type: 'tool_use', id: 'toolu_p', name: 'run_command', input: { command: 'cat .env' } }] };
    subject = await apiProject(answersWith({ implement: [print] }));
    subject.project.write('.env', 'API_TOKEN=fake-token-0123456789abcdef\nexport DB="postgres://u:fakepass@h/db"\nMODE=test\n');
    expect((await subject.feature()).code).toBe(0);
    const sent = JSON.stringify(subject.api.requests.map(({ body }) => body));
    expect(sent).toContain('API_TOKEN=[redacted]');
    expect(sent).not.toMatch(/fake-token|fakepass/);
    expect(sent).toContain('MODE=test');
  });
});

describe('a small window', () => {
  it('leaves room for the conversation: what does not fit half of it is named, and shown so by context', async () => {
    subject = await apiProject(undefined, { config: 'anthropic: { contextWindow: 20000, maxOutput: 4000 }\n' });
    const { project, api } = subject;
    project.write('.blueprint/SYSTEM_SPEC.md', `# System\n\n${'word '.repeat(4000)}\n`);
    project.write(`${FOLDER}/brief.md`, 'See visitors off by name.\n');
    const shown = JSON.parse((await project.run('context', 'farewell', '--stage', 'spec', '--json')).stdout) as {
      leftOut: string[];
      parts: { name: string; text: string }[];
    };
    expect(shown.leftOut).toEqual(['.blueprint/SYSTEM_SPEC.md']);
    expect((await project.run('feature', 'farewell', '--pause-after', 'spec')).code).toBe(0);
    const [first] = api.requests.map(({ body }) => body as { messages: { content: { text: string }[] }[] });
    expect(first?.messages[0]?.content[0]?.text).toBe(shown.parts.at(-1)?.text);
  });
});

describe('a server that a person names', () => {
  it('goes before the environment, also when the run is resumed', async () => {
    subject = await apiProject();
    const { project, api, feature } = subject;
    project.env['ANTHROPIC_BASE_URL'] = 'http://127.0.0.1:9';
    project.write('.blueprint/config.yaml', 'anthropic: { model: m }\n');
    expect((await feature('--engine', `anthropic:${api.url}`, '--pause-after', 'spec')).code).toBe(0);
    expect((await project.run('resume', 'farewell', '--pause-after', 'stories')).code).toBe(0);
    expect(api.requests).toHaveLength(2);
  });

  it('needs a model to be named', async () => {
    subject = await apiProject();
    delete subject.project.env['ANTHROPIC_BASE_URL'];
    const { code, stderr } = await subject.feature('--engine', `anthropic:${subject.api.url}/v1/`);
    expect(stderr).toContain('Which model does http');
    expect(code).toBe(2);
  });
});

describe('an interrupt', () => {
  it('while the engine waits ends within a second, says how to resume, and nothing is lost', async () => {
    const limited = {
      status: 429,
      headers: { 'retry-after': '50' },
      json: { type: 'error', error: { type: 'rate_limit_error', message: 'rpm' } },
    };
    subject = await apiProject(answersWith({ stories: [limited] }));
    const { project, api } = subject;
    const child = spawn(process.execPath, [BIN, 'feature', 'farewell', '--brief', BRIEF_TEXT], { cwd: project.root, env: project.env });
    let stderr = '';
    child.stderr.on('data', (chunk: Buffer) => {
      stderr += chunk.toString();
      if (stderr.includes('Asking again') && !child.killed) child.kill('SIGINT');
    });
    const killedAt = new Promise<number>((resolve) => child.stderr.on('data', () => child.killed && resolve(performance.now())));
    const [code] = (await once(child, 'close')) as [number];
    expect(performance.now() - (await killedAt)).toBeLessThan(1000);
    expect(code).toBe(130);
    expect(stderr).toContain('Resume with: blueprint resume farewell');
    expect((await project.run('resume', 'farewell')).code).toBe(0);
    expect(api.requests.filter(({ body }) => stageOf(body as never) === 'spec')).toHaveLength(1);
  });
});
