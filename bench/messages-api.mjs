// The example through a loopback Messages API: overhead, cache and size of prompts, as figures per stage. Needs a build.
// Each reply takes two seconds, as a model would; the server counts cache reads like the real one (prefix match, at least
// 1,024 tokens, five minutes). "as recorded" is the example's nine replies; "looking around" has every role read files
// first, sixteen turns a stage, which is closer to what models do.
import { spawn, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { startMessagesApi } from '../test/fakes/messages-api.mjs';
import { answerFromTranscript } from '../test/fakes/replies.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const MODEL_TIME = Number(process.env.BLUEPRINT_BENCH_MODEL_TIME ?? 2000);
const KEY = 'bench-key-0123456789';
const example = parse(readFileSync(join(root, 'examples/notes-search/replies.yaml'), 'utf8'));
const FILES = ['README.md', 'package.json', 'src/cli.js', 'src/store.js', 'test/store.test.js', 'test/cli.test.js'];
const LOOKS = 16;

await measure('as recorded', example);
await measure('looking around', lookingAround(example));

function lookingAround(turns) {
  const stages = [...new Set(turns.map(({ stage }) => stage))];
  const looks = stages.flatMap((stage) =>
    Array.from({ length: LOOKS }, (_, index) => FILES[index % FILES.length]).map((path, index) => ({
      stage,
      turn: index + 1,
      say: 'Looking around.',
      calls: [{ tool: 'read_file', input: { path } }],
    })),
  );
  return [...looks, ...turns.map((turn) => ({ ...turn, turn: turn.turn + LOOKS }))];
}

async function measure(name, turns) {
  const folder = mkdtempSync(join(tmpdir(), 'blueprint-bench-'));
  const api = await startMessagesApi({
    answer: answerFromTranscript(turns),
    key: KEY,
    cache: { minimum: 1024 },
    pace: { modelTime: MODEL_TIME },
  });
  try {
    const project = makeProject(folder);
    const { time, usages } = await runExample(folder, project, api);
    if (api.failures.length + api.refusals.length > 0) throw new Error([...api.failures, ...api.refusals].join('\n'));
    reportOverhead(name, time, api.requests.length * MODEL_TIME);
    reportCache(name, usages);
    reportPrompts(name, api.requests);
  } finally {
    await api.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

function makeProject(folder) {
  const project = join(folder, 'project');
  cpSync(join(root, 'examples/notes'), project, { recursive: true });
  mkdirSync(join(folder, 'home'));
  for (const args of [
    ['init', '-q', '-b', 'main'],
    ['add', '-A'],
    ['commit', '-q', '-m', 'Start'],
  ]) {
    const { status, stderr } = spawnSync('git', args, { cwd: project, env: environment(folder), encoding: 'utf8' });
    if (status !== 0) throw new Error(stderr);
  }
  return project;
}

/** Nothing of the person's own: no key, no git settings. */
function environment(folder, more = {}) {
  const who = { name: 'Bench', email: 'bench@example.com' };
  return {
    PATH: process.env.PATH,
    HOME: join(folder, 'home'),
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_AUTHOR_NAME: who.name,
    GIT_AUTHOR_EMAIL: who.email,
    GIT_COMMITTER_NAME: who.name,
    GIT_COMMITTER_EMAIL: who.email,
    ...more,
  };
}

async function runExample(folder, project, api) {
  const args = [join(root, 'bench/feature.mjs'), project, 'search', join(root, 'examples/notes-search/brief.md')];
  const env = environment(folder, { ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: api.url });
  const startedAt = performance.now();
  const child = spawn(process.execPath, args, { cwd: project, env, stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.on('data', (chunk) => (output += chunk));
  const code = await new Promise((resolve) => child.on('close', resolve));
  if (code !== 0) throw new Error(`the run ended with ${code}: ${output}`);
  return { time: { ...JSON.parse(output), wall: performance.now() - startedAt }, usages: usagesOf(project) };
}

/** Usage of every recorded turn, by stage. */
function usagesOf(project) {
  const runs = join(project, '.blueprint/runs');
  const [run] = readdirSync(runs);
  const events = readFileSync(join(runs, run, 'journal.jsonl'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const usages = {};
  for (const { type, data } of events) {
    if (type !== 'turn-end') continue;
    const sum = (usages[data.step] ??= { turns: 0, input: 0, output: 0, cacheRead: 0, cacheWrite: 0 });
    sum.turns += 1;
    for (const key of ['input', 'output', 'cacheRead', 'cacheWrite']) sum[key] += data.usage[key];
  }
  return usages;
}

function reportOverhead(name, { wall, project, git }, model) {
  const milliseconds = rounded({ wall, model, projectCommands: project, git, own: wall - model - project - git });
  report(`${name}: wall / model time`, wall / model, { target: 1.02, milliseconds });
  report(`${name}: wall without the project's own commands / model time`, (wall - project) / model, { target: 1.02 });
}

function reportCache(name, usages) {
  const share = ({ input, cacheRead, cacheWrite }) => cacheRead / (input + cacheRead + cacheWrite);
  const total = { input: 0, cacheRead: 0, cacheWrite: 0 };
  for (const usage of Object.values(usages)) for (const key of Object.keys(total)) total[key] += usage[key];
  const stages = Object.fromEntries(
    Object.entries(usages).map(([stage, usage]) => [stage, { share: Number(share(usage).toFixed(3)), ...usage }]),
  );
  report(`${name}: input tokens read from cache / input tokens`, share(total), { target: 0.8, stages });
}

/** Text that is the same for every feature: tools and the shared part once, each role and each stage without its inputs. */
function reportPrompts(name, requests) {
  const parts = new Map();
  for (const { body } of requests) {
    const text = body.messages[0].content[0].text;
    const stage = /^# Stage ([a-z0-9-]+):/m.exec(text)[1];
    parts.set('tools', JSON.stringify(body.tools).length);
    parts.set('shared', body.system[0].text.length);
    parts.set(`role of ${stage}`, body.system[1].text.length);
    parts.set(`stage ${stage}`, text.replace(/^<(file(?:-\d+)?) name="[^"]*">\n[^]*?^<\/\1>$/gm, '').length);
  }
  const total = [...parts.values()].reduce((sum, length) => sum + length, 0);
  report(`${name}: characters of fixed prompt text`, total, { target: 23_000, parts: Object.fromEntries(parts) });
}

function rounded(figures) {
  return Object.fromEntries(Object.entries(figures).map(([name, value]) => [name, Math.round(value)]));
}

function report(name, value, more) {
  console.log(JSON.stringify({ name, value: Number(value.toFixed(3)), ...more }));
}
