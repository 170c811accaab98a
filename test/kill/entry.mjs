// Runs the example's feature and ends itself with SIGKILL before or after the n-th append, rename, spawn or commit.
// Arguments: cwd, slug, transcript, brief file, point to die at (0: never), further options (JSON). Prints the number of points it has passed.
import { readFileSync } from 'node:fs';
import { runFeature } from '../../dist/compose.js';

const [cwd, slug, transcript, brief, dieAt, more = '{}'] = process.argv.slice(2);
let passed = 0;
const point = (name) => {
  passed += 1;
  if (passed === Number(dieAt)) {
    process.stdout.write(`${name}\n`, () => undefined);
    process.kill(process.pid, 'SIGKILL');
  }
};
const around = async (name, work) => {
  point(`before ${name}`);
  const result = await work();
  point(`after ${name}`);
  return result;
};

const decorate = {
  journal: (journal) => ({ ...journal, append: (event) => around(`append ${event.type}`, () => journal.append(event)) }),
  files: (files) => ({
    read: (path) => files.read(path),
    replace: (path, bytes) => around(`rename ${path}`, () => files.replace(path, bytes)),
    remove: (path) => around(`remove ${path}`, () => files.remove(path)),
  }),
  processes: (processes) => ({ run: (request) => around(`spawn ${request.argv.join(' ').slice(0, 80)}`, () => processes.run(request)) }),
  repository: (repository) => ({ ...repository, commit: (paths, message) => around('commit', () => repository.commit(paths, message)) }),
};

const options = {
  cwd,
  slug,
  brief: readFileSync(brief, 'utf8'),
  pauseAfter: [],
  engine: `transcript:${transcript}`,
  commit: true,
  yes: false,
  takeNew: false,
  fresh: false,
  acceptDamage: false,
  mode: 'feature',
  ...JSON.parse(more),
};
const hooks = { emit: () => undefined, signal: new AbortController().signal };
const outcome = await runFeature(options, hooks, { env: process.env, decorate });
console.log(JSON.stringify({ points: passed, status: outcome.status }));
