// Runs the main job on a copy of the example project, live, and ends by telling where everything is.
import { cpSync, mkdirSync, mkdtempSync, realpathSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const folder = realpathSync(mkdtempSync(join(tmpdir(), 'blueprint-example-')));
const project = join(folder, 'notes');
const example = join(root, 'examples', 'notes-search');
const env = exampleEnvironment();

cpSync(join(root, 'examples', 'notes'), project, { recursive: true });
git('init', '-q', '-b', 'main');
git('add', '-A');
git('commit', '-q', '-m', 'A small notes program');

say(`The example project is a copy in ${project}.`);
say('Replies are recorded; files, tests, checks and commits are real.');
say('\nIts suite before:');
runSuite();
say(
  '\n$ node dist/bin.js feature search --brief-file examples/notes-search/brief.md --engine transcript:examples/notes-search/replies.yaml\n',
);
const run = spawnSync(
  process.execPath,
  [
    join(root, 'dist', 'bin.js'),
    'feature',
    'search',
    '--brief-file',
    join(example, 'brief.md'),
    '--engine',
    `transcript:${join(example, 'replies.yaml')}`,
  ],
  { cwd: project, env, stdio: 'inherit' },
);
if (run.status !== 0) process.exit(run.status ?? 1);
say('\nIts suite after:');
runSuite();
say('\nThe commit:');
show(git('log', '-1', '--stat', '--format=%h %s%n%n%b').trimEnd());
const bin = join(root, 'dist', 'bin.js');
say(`
Look around:
  artifacts  ${project}/.blueprint/features/search/
  tests      ${project}/test/
  commit     git -C ${project} show

Try next:
  node ${bin} status search --cwd ${project}

The same brief from the start, with a pause to read and edit the stories:
  cd ${project} && git switch -q main
  node ${bin} feature find --pause-after ba --no-commit --brief-file ${join(example, 'brief.md')} --engine transcript:${join(example, 'replies.yaml')}
  node ${bin} status find
  node ${bin} resume find`);

/** Runs the example's suite and shows its figures; ends the program when it is not green. */
function runSuite() {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--test', '--test-reporter=tap'], {
    cwd: project,
    env,
    encoding: 'utf8',
  });
  const figures = stdout.split('\n').filter((line) => /^# (tests|pass|fail) /.test(line));
  show(figures.map((line) => line.slice(2)).join(', '));
  if (status === 0) return;
  process.stderr.write(`${stdout}${stderr}`);
  process.exit(1);
}

function git(...args) {
  const { status, stdout, stderr } = spawnSync('git', args, { cwd: project, env, encoding: 'utf8' });
  if (status !== 0) throw new Error(`git ${args.join(' ')}: ${stderr}`);
  return stdout;
}

/** Nothing ambient: no keys, no git settings, a home of its own. */
function exampleEnvironment() {
  const home = join(folder, 'home');
  mkdirSync(home);
  const kept = Object.entries(process.env).filter(
    ([name]) => !/^(ANTHROPIC_|CLAUDE_|OPENAI_|GEMINI_|GIT_|GITHUB_TOKEN$|NODE_TEST_CONTEXT$)/.test(name),
  );
  const who = {
    GIT_AUTHOR_NAME: 'Example Person',
    GIT_AUTHOR_EMAIL: 'person@example.com',
    GIT_COMMITTER_NAME: 'Example Person',
    GIT_COMMITTER_EMAIL: 'person@example.com',
  };
  return { ...Object.fromEntries(kept), ...who, HOME: home, GIT_CONFIG_GLOBAL: join(home, '.gitconfig'), GIT_CONFIG_NOSYSTEM: '1' };
}

function say(text) {
  process.stdout.write(`${text}\n`);
}

function show(text) {
  say(
    text
      .split('\n')
      .map((line) => `  ${line}`)
      .join('\n'),
  );
}
