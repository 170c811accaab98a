// Runs one feature in a process of its own and prints where its time went. Arguments: cwd, slug, brief file. Milliseconds.
import { readFileSync } from 'node:fs';
import { runFeature } from '../dist/compose.js';

const [cwd, slug, brief] = process.argv.slice(2);
const spent = { project: 0, git: 0 };

const decorate = {
  processes: (processes) => ({
    run: async (request) => {
      const startedAt = performance.now();
      const result = await processes.run(request);
      spent[request.argv[0] === 'git' ? 'git' : 'project'] += performance.now() - startedAt;
      return result;
    },
  }),
};

const options = {
  cwd,
  slug,
  brief: readFileSync(brief, 'utf8'),
  pauseAfter: [],
  engine: 'anthropic',
  commit: true,
  yes: false,
  takeNew: false,
  fresh: false,
  acceptDamage: false,
  mode: 'feature',
};
const hooks = { emit: () => undefined, signal: new AbortController().signal };
const { status } = await runFeature(options, hooks, { env: process.env, decorate });
// Counted from the start of the process, so that loading is in it.
console.log(JSON.stringify({ status, total: performance.now(), ...spent }));
