// Speed and memory as ratios against a reference measured in the same run. Needs a build. Prints one JSON line per figure.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const folder = mkdtempSync(join(tmpdir(), 'blueprint-bench-'));
try {
  measureVersion();
  measureFold();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function measureVersion() {
  const empty = join(folder, 'empty.mjs');
  writeFileSync(empty, '');
  const bare = [];
  const version = [];
  for (let round = 0; round < 21; round += 1) {
    bare.push(wall([empty]));
    version.push(wall([join(root, 'dist', 'bin.js'), '--version']));
  }
  const [reference, measured] = [median(bare), median(version)];
  report('--version / bare node', measured / reference, { target: 1.5, milliseconds: { bare: reference, version: measured } });
}

function measureFold() {
  const journal = join(folder, 'journal.jsonl');
  const lines = [
    JSON.stringify({
      seq: 1,
      time: '2026-01-01T00:00:00.000Z',
      type: 'run-started',
      data: { schema: 1, version: '0', run: 'r', feature: 'f', engine: 'e', commit: true, base: null },
    }),
  ];
  const digest = `sha256:${'a'.repeat(64)}`;
  let seq = 1;
  const add = (type, data) => lines.push(JSON.stringify({ seq: (seq += 1), time: '2026-01-01T00:00:00.000Z', type, data }));
  for (let attempt = 1; lines.length < 100_000; attempt += 1) {
    add('attempt-start', { step: 'implement', attempt, inputs: { 'brief.md': digest }, engine: 'e', prompt: digest });
    for (let turn = 1; turn <= 30; turn += 1) {
      add('turn-end', {
        step: 'implement',
        attempt,
        turn,
        reply: digest,
        stop: 'tool-calls',
        usage: { input: 1, output: 1, cacheRead: 0, cacheWrite: 0 },
        duration: 1,
      });
      add('tool-start', {
        step: 'implement',
        attempt,
        turn,
        call: 'c',
        tool: 'write_file',
        kind: 'write',
        write: { path: `src/${turn}.js`, before: null, after: digest },
        output: digest,
      });
      add('tool-end', { step: 'implement', attempt, turn, call: 'c', tool: 'write_file', kind: 'write', output: digest, error: false });
    }
    add('attempt-end', { step: 'implement', attempt, outcome: 'failed', failure: { kind: 'tests-red', message: 'no' } });
  }
  writeFileSync(journal, `${lines.slice(0, 100_000).join('\n')}\n`);
  const code = `
    import { readFileSync } from 'node:fs';
    import { readJournal } from ${JSON.stringify(join(root, 'dist', 'journal', 'read.js'))};
    const path = ${JSON.stringify(journal)};
    let start = performance.now();
    for (const line of readFileSync(path, 'utf8').split('\\n')) if (line) JSON.parse(line);
    const reference = performance.now() - start;
    start = performance.now();
    const { state } = await readJournal(path);
    const fold = performance.now() - start;
    console.log(JSON.stringify({ reference, fold, lastSeq: state.lastSeq, memory: process.resourceUsage().maxRSS / 1024 }));`;
  const alone = code.replace(/let start[\s\S]*?const reference = [^;]+;/, 'let start = 0; const reference = 0;');
  const { reference, fold, lastSeq } = run(code);
  const { memory, fold: cold } = run(alone);
  report('fold of 100,000 events / JSON.parse of the same lines', fold / reference, {
    events: lastSeq,
    milliseconds: { parse: reference, fold, foldInOwnProcess: cold },
    target: { milliseconds: 1000 },
  });
  const bare = run('console.log(JSON.stringify({ memory: process.resourceUsage().maxRSS / 1024 }))').memory;
  report('memory of that fold / bare node', memory / bare, { megabytes: { bare, fold: memory }, target: { megabytes: 150 } });
}

function run(code) {
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', code], { encoding: 'utf8' });
  if (stdout === '') throw new Error(stderr);
  return JSON.parse(stdout);
}

function wall(args) {
  const start = performance.now();
  spawnSync(process.execPath, args, { stdio: 'ignore' });
  return performance.now() - start;
}

function median(values) {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)];
}

function report(name, ratio, details) {
  console.log(JSON.stringify({ name, ratio: Number(ratio.toFixed(2)), ...details }));
}
