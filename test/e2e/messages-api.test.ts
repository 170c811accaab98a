import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { startMessagesApi, type Answer } from '../fakes/messages-api.mjs';
import { answerFromTranscript } from '../fakes/replies.mjs';
import { smallReplies } from '../fixtures/small.replies.mjs';
import { answersWith, apiProject, KEY, lastMessage, stageOf, type ApiProject } from '../helpers/api.ts';
import { BRIEF, exampleReplies, journalsOf, makeProject, REPLIES, treeOf } from '../helpers/project.ts';
import { FOLDER, runSmall, smallProject } from '../helpers/small.ts';

let subject: ApiProject | undefined;
afterEach(async () => {
  await subject?.end();
  subject = undefined;
});

const ANTHROPIC = { cache: { minimum: 1024 } };

describe('the example through the Messages API', () => {
  it('comes to the same tree as the recorded replies, plays back to it, and leaves the key nowhere', { timeout: 180_000 }, async () => {
    const copies = [makeProject(), makeProject(), makeProject()] as const;
    const [reference, project] = copies;
    const api = await startMessagesApi({ answer: answerFromTranscript(exampleReplies() as never), key: KEY, ...ANTHROPIC });
    try {
      expect((await reference.run('feature', 'search', '--brief-file', BRIEF, '--engine', `transcript:${REPLIES}`)).code).toBe(0);
      Object.assign(project.env, { ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: api.url });
      const ended = await project.run(
        'feature',
        'search',
        '--brief-file',
        BRIEF,
        '--engine',
        'anthropic',
        '--json',
        '--record',
        '../made.yaml',
      );
      expect(ended).toMatchObject({ code: 0 });
      expect({ refused: api.refusals, failed: api.failures }).toEqual({ refused: [], failed: [] });
      expect(treeOf(project.root)).toEqual(treeOf(reference.root));
      expect(project.git('rev-parse', 'HEAD^{tree}')).toBe(reference.git('rev-parse', 'HEAD^{tree}'));
      expect(ended.stdout + ended.stderr).not.toContain(KEY);
      const found = execFileSync('sh', ['-c', `grep -rl -e "$KEY" . || true`], {
        cwd: dirname(project.root),
        env: { ...project.env, KEY },
      });
      expect(found.toString()).toBe('');
      const played = copies[2];
      const again = await played.run(
        'feature',
        'search',
        '--brief-file',
        BRIEF,
        '--engine',
        `transcript:${dirname(project.root)}/made.yaml`,
      );
      expect(again).toMatchObject({ code: 0 });
      expect(treeOf(played.root)).toEqual(treeOf(reference.root));
      const status = await project.run('status', 'search');
      expect(status.stdout).toMatch(/cost: \$0\.\d\d \(prices of \d{4}-\d\d-\d\d\) · .* in, .* out, cache .* read, .* written/);
    } finally {
      await api.close();
      for (const copy of copies) copy.remove();
    }
  });
});

describe('a server that speaks the Messages API and no more', () => {
  it.each(['ollama', 'llama.cpp'] as const)('is enough for a whole feature: %s', async (profile) => {
    const reference = smallProject();
    const project = smallProject();
    const api = await startMessagesApi({ answer: answersWith({}), profile });
    try {
      expect((await runSmall(reference)).code).toBe(0);
      const ended = await runSmall(project, undefined, '--engine', `anthropic:${api.url}`, '--model', 'qwen3-coder:30b');
      expect(ended).toMatchObject({ code: 0 });
      expect({ refused: api.refusals, failed: api.failures }).toEqual({ refused: [], failed: [] });
      expect(treeOf(project.root)).toEqual(treeOf(reference.root));
      expect((await project.run('status', 'farewell')).stdout).toContain('cost: unknown');
    } finally {
      await api.close();
      reference.remove();
      project.remove();
    }
  });
});

const call = (id: string, name: string, input: unknown): Record<string, unknown> => ({ type: 'tool_use', id, name, input });

describe('a reply of which nothing may be run', () => {
  it('because it was cut off within a write is answered, and no part of the file is written', async () => {
    const cut = { content: [call('toolu_w', 'write_file', { path: 'src/half.js' })], stop_reason: 'max_tokens' };
    subject = await apiProject(answersWith({ implement: [cut] }));
    expect(await subject.feature()).toMatchObject({ code: 0 });
    expect(treeOf(subject.project.root)['src/half.js']).toBeUndefined();
    const told = subject.api.requests.map(({ body }) => lastMessage(body as never)).filter((text) => text.includes('cut off'));
    expect(told).toHaveLength(1);
    expect(told[0]).toMatch(/"is_error":true.*in parts|in parts.*"is_error":true/);
    expect(subject.api.refusals).toEqual([]);
  });

  it('time and again ends the attempt', async () => {
    const cut = { content: [call('toolu_w', 'write_file', { path: 'src/half.js' })], stop_reason: 'max_tokens' };
    subject = await apiProject(answersWith({ implement: Array.from({ length: 9 }, () => cut) }));
    const { code, stderr } = await subject.feature();
    expect(code).toBe(1);
    expect(stderr).toContain('implement failed: The replies were cut off at the output limit');
    expect(subject.api.requests.filter(({ body }) => stageOf(body as never) === 'implement')).toHaveLength(3);
  });

  it('because the input is no JSON is answered with the place, and sent back as JSON', async () => {
    const broken: Answer = {
      sse: [
        {
          type: 'message_start',
          message: { id: 'm', type: 'message', role: 'assistant', model: 'x', content: [], usage: { input_tokens: 1, output_tokens: 1 } },
        },
        { type: 'content_block_start', index: 0, content_block: { type: 'tool_use', id: 'toolu_b', name: 'write_file', input: {} } },
        { type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json: '{"path": src/half.js}' } },
        { type: 'content_block_stop', index: 0 },
        { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 9 } },
        { type: 'message_stop' },
      ],
    };
    subject = await apiProject(answersWith({ implement: [broken] }));
    expect(await subject.feature()).toMatchObject({ code: 0 });
    const [told] = subject.api.requests.map(({ body }) => lastMessage(body as never)).filter((text) => text.includes('no JSON'));
    expect(told).toContain('line 1, column 10');
    expect(subject.api.refusals).toEqual([]);
  });

  it('because the server refuses what it was sent is not sent again unchanged', async () => {
    const bad = { status: 400, json: { type: 'error', error: { type: 'invalid_request_error', message: 'messages.1: invalid' } } };
    // As it happens when a cut call was kept as it was: here what is sent back is valid, and refused all the same.
    const cut = { content: [call('toolu_w', 'write_file', { path: 'a.md' })], stop_reason: 'max_tokens' };
    subject = await apiProject(answersWith({ spec: [cut, bad, bad] }));
    const { code, stderr } = await subject.feature();
    expect(code).toBe(4);
    expect(stderr).toContain('messages.1: invalid');
    expect(stderr).toContain('blueprint resume farewell');
    expect(subject.api.requests).toHaveLength(2);
    expect(subject.api.refusals).toEqual([]);
  });

  it('because the model refuses ends the step as refused: once, named, without an artifact', async () => {
    subject = await apiProject(
      answersWith({ spec: [{ content: [], stop_reason: 'refusal', stop_details: { type: 'refusal', category: 'cyber' } }] }),
    );
    const { code, stderr } = await subject.feature('--yes');
    expect(code).toBe(1);
    expect(stderr).toContain('spec failed: The model refused at turn 1 (cyber).');
    expect(subject.api.requests).toHaveLength(1);
    expect(Object.keys(treeOf(subject.project.root))).not.toContain(`${FOLDER}/FEATURE_SPEC.md`);
  });
});

describe('what a model writes as text', () => {
  it('is no error because the word stands in it, and hands nothing in', async () => {
    const words = {
      content: [{ type: 'text', text: 'Error handling is done: 0 errors, is_error:false, FAILED states are listed.' }],
      stop_reason: 'end_turn',
    };
    subject = await apiProject(answersWith({ plan: [words] }));
    expect(await subject.feature()).toMatchObject({ code: 0 });
    expect(subject.api.requests.map(({ body }) => lastMessage(body as never)).join()).toContain(
      'Nothing was handed in. Call submit_implementation_plan',
    );
  });

  it('counts as handed in when it holds an object that fits: the last one, behind prose and an example', async () => {
    const recorded = exampleOf('plan');
    const text = `The format is ${JSON.stringify({ ...recorded, steps: [] })}. I mention {braces} and "quotes".\n\n\`\`\`json\n${JSON.stringify(recorded, null, 2).replace(/\n\}$/, ',\n} // mine')}\n\`\`\`\nLet me know.`;
    subject = await apiProject(answersWith({ plan: [{ content: [{ type: 'text', text }], stop_reason: 'end_turn' }] }));
    expect(await subject.feature()).toMatchObject({ code: 0 });
    expect(subject.api.requests.filter(({ body }) => stageOf(body as never) === 'plan')).toHaveLength(1);
  });
});

/** The submission that the recorded replies hold for a stage of the small feature. */
function exampleOf(stage: string): Record<string, unknown> {
  const answer = answerFromTranscript(smallReplies() as never)({ messages: [{ role: 'user', content: `# Stage ${stage}: x` }] });
  const last = answer.content.at(-1) as { input: Record<string, unknown> };
  return last.input;
}

describe('a reply that only thinks', () => {
  it.each([
    ['to its end', 'end_turn', 'sig=='],
    ['until it is cut off, unsigned', 'max_tokens', ''],
  ])('%s is answered, and never makes a request invalid', async (_, stop_reason, signature) => {
    subject = await apiProject(answersWith({ spec: [{ content: [{ type: 'thinking', thinking: 'Hm.', signature }], stop_reason }] }));
    expect(await subject.feature('--pause-after', 'spec')).toMatchObject({ code: 0 });
    expect(subject.api.refusals).toEqual([]);
    expect(subject.api.requests).toHaveLength(2);
  });
});

describe('halves of characters', () => {
  it('from a model are replaced before they are stored, sent or written', async () => {
    const half = { content: [call('toolu_h', 'write_file', { path: 'src/half.js', content: '// x \ud99c y\n' })] };
    subject = await apiProject(answersWith({ implement: [half] }));
    expect(await subject.feature()).toMatchObject({ code: 0 });
    expect(subject.api.refusals).toEqual([]);
    expect(readFileSync(`${subject.project.root}/src/half.js`, 'utf8')).toBe('// x \uFFFD y\n');
  });
});

describe('a long tool loop', () => {
  it('stays within the window it was given, and says what it shortened', async () => {
    const reads = Array.from({ length: 20 }, (_, index) => ({
      content: [call(`toolu_${index}`, 'read_file', { path: `big${index}.txt` })],
    }));
    subject = await apiProject(answersWith({ implement: reads }), {
      config: 'anthropic: { contextWindow: 50000, maxOutput: 8000 }\nlimits: { tokens: 4000000 }\n',
    });
    for (let index = 0; index < 20; index += 1) subject.project.write(`big${index}.txt`, `${'a'.repeat(89)}\n`.repeat(1000));
    const { code, stderr } = await subject.feature();
    expect(code).toBe(0);
    for (const { body } of subject.api.requests) {
      const { max_tokens } = body as { max_tokens: number };
      expect(Buffer.byteLength(JSON.stringify(body)) / 2.5 + max_tokens).toBeLessThan(52_000);
    }
    expect(stderr).toContain('older results shortened to fit the context');
    const trims = (journalsOf(subject.project.root)[0] ?? []).filter(({ type }) => type === 'context-trimmed');
    expect(trims.length).toBeGreaterThan(0);
  });

  it('that cannot fit stops before anything is sent, and names the largest part', async () => {
    subject = await apiProject(answersWith({}), {
      config: 'contextTokens: 400000\nanthropic: { contextWindow: 20000, maxOutput: 4000 }\n',
    });
    subject.project.write(`${FOLDER}/brief.md`, `# F\n\n${'word '.repeat(60_000)}\n`);
    const { code, stderr } = await subject.project.run('feature', 'farewell', '--yes');
    expect(code).toBe(1);
    expect(stderr).toMatch(/The context is too large for the model, about \d+ tokens; the largest part is brief\.md with about 12\d{4}/);
    expect(subject.api.requests).toHaveLength(0);
  });

  it('that makes the same failing edit three times ends as a loop', async () => {
    const edits = Array.from({ length: 9 }, (_, index) => ({
      content: [call(`toolu_${index}`, 'edit_file', { path: 'src/greet.js', oldText: 'beta', newText: 'gamma' })],
    }));
    subject = await apiProject(answersWith({ implement: edits }));
    const { code, stderr } = await subject.feature();
    expect(code).toBe(1);
    expect(stderr).toContain('edit_file failed 3 times in the same way');
  });
});

describe('a limit of the server', () => {
  const limited = (seconds: string): Answer => ({
    status: 429,
    headers: { 'retry-after': seconds },
    json: { type: 'error', error: { type: 'rate_limit_error', message: 'rpm' } },
  });

  it('is waited for, said aloud, and work done before it is not done again', async () => {
    const work = { content: [call('toolu_r', 'run_command', { command: 'echo x >> count.txt' })] };
    subject = await apiProject(answersWith({ implement: [work, limited('1')] }));
    const { code, stderr } = await subject.feature();
    expect(stderr).toMatch(/rpm Asking again in [12] s\./);
    expect(code).toBe(0);
    expect(readFileSync(`${subject.project.root}/count.txt`, 'utf8')).toBe('x\n');
  });

  it('that parks the run keeps the model a person has named, and its turns', async () => {
    const look = { content: [call('toolu_l', 'list_files', {})] };
    subject = await apiProject(answersWith({ spec: [look, limited('3600')] }));
    expect((await subject.feature('--model', 'claude-named', '--effort', 'low')).code).toBe(3);
    expect((await subject.project.run('resume', 'farewell', '--pause-after', 'spec')).code).toBe(0);
    const bodies = subject.api.requests.map(
      ({ body }) => body as { model: string; output_config?: { effort: string }; messages: unknown[] },
    );
    expect(new Set(bodies.map(({ model, output_config }) => `${model} ${output_config?.effort}`))).toEqual(new Set(['claude-named low']));
    expect(bodies.map(({ messages }) => messages.length)).toEqual([1, 3, 3]);
  });

  it('that is long parks the run with exit 3, and a resume goes on in the same conversation', async () => {
    const work = { content: [call('toolu_r', 'run_command', { command: 'echo x >> count.txt' })] };
    subject = await apiProject(answersWith({ implement: [work, limited('3600')] }));
    const parked = await subject.feature();
    expect(parked.code).toBe(3);
    expect(parked.stderr).toContain('wait 3600 s');
    expect(parked.stderr).toContain('blueprint resume farewell');
    const paused = journalsOf(subject.project.root)[0]?.at(-1);
    expect(paused).toMatchObject({ type: 'run-paused', data: { step: 'implement', kind: 'rate-limit' } });
    const asked = subject.api.requests.length;
    expect(await subject.project.run('resume', 'farewell')).toMatchObject({ code: 0 });
    expect(readFileSync(`${subject.project.root}/count.txt`, 'utf8')).toBe('x\n');
    const again = subject.api.requests.slice(asked).map(({ body }) => (body as { messages: unknown[] }).messages.length);
    expect(again[0]).toBe(3);
  });
});
