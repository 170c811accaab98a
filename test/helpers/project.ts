import { execFileSync, spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';

export const REPOSITORY = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
export const BIN = join(REPOSITORY, 'dist', 'bin.js');
export const EXAMPLE = join(REPOSITORY, 'examples', 'notes');
export const BRIEF = join(REPOSITORY, 'examples', 'notes-search', 'brief.md');
export const REPLIES = join(REPOSITORY, 'examples', 'notes-search', 'replies.yaml');

/** A private environment: no ambient key, no ambient git, a HOME of its own, an identity for commits. */
export function cleanEnvironment(home: string): Record<string, string> {
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(process.env)) {
    if (
      value !== undefined &&
      !/^(ANTHROPIC_|CLAUDE_|OPENAI_|GEMINI_|GIT_|VITEST|NODE_TEST_CONTEXT|NODE_OPTIONS|GITHUB_TOKEN|CI$|FORCE_COLOR)/.test(name)
    )
      env[name] = value;
  }
  const who = { name: 'Example Person', email: 'person@example.com' };
  return {
    ...env,
    HOME: home,
    NO_COLOR: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_AUTHOR_NAME: who.name,
    GIT_AUTHOR_EMAIL: who.email,
    GIT_COMMITTER_NAME: who.name,
    GIT_COMMITTER_EMAIL: who.email,
  };
}

export interface TestProject {
  root: string;
  env: Record<string, string>;
  git(...args: string[]): string;
  run(...args: string[]): Promise<CliResult>;
  read(path: string): string;
  write(path: string, text: string): void;
  feature(path: string): string;
  remove(): void;
}

export interface CliResult {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** A copy of the example project in a private folder, with a first commit unless `git` is false. */
export function makeProject({ git = true, from = EXAMPLE }: { git?: boolean; from?: string } = {}): TestProject {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'blueprint-test-')));
  const root = join(folder, 'project');
  const home = join(folder, 'home');
  mkdirSync(home);
  cpSync(from, root, { recursive: true });
  const env = cleanEnvironment(home);
  const runGit = (...args: string[]): string => execFileSync('git', args, { cwd: root, env, encoding: 'utf8' });
  if (git) {
    runGit('init', '-q', '-b', 'main');
    runGit('add', '-A');
    runGit('commit', '-q', '-m', 'Start');
  }
  return projectAt(root, env, folder, runGit);
}

function projectAt(root: string, env: Record<string, string>, folder: string, git: TestProject['git']): TestProject {
  return {
    root,
    env,
    git,
    run: (...args) => runCli(args, { cwd: root, env }),
    read: (path) => readFileSync(join(root, path), 'utf8'),
    write: (path, text) => {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), text);
    },
    feature: (path) => `.blueprint/features/search/${path}`,
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Runs the built command line as a person's shell would, without a terminal. */
export function runCli(
  args: string[],
  { cwd, env, input }: { cwd: string; env: Record<string, string>; input?: string },
): Promise<CliResult> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [BIN, ...args], { cwd, env, stdio: ['pipe', 'pipe', 'pipe'] });
    let stdout = '';
    let stderr = '';
    child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, stdout, stderr }));
    child.stdin.end(input ?? '');
  });
}

/** Every file of a project with its text, but for what is local to a checkout. */
export function treeOf(root: string): Record<string, string> {
  const files: Record<string, string> = {};
  const walk = (folder: string): void => {
    for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (path === '.git' || path === '.blueprint/runs' || path === '.blueprint/locks' || path === 'node_modules') continue;
      if (entry.isDirectory()) walk(path);
      else files[path] = readFileSync(join(root, path), 'utf8');
    }
  };
  walk('');
  return files;
}

export interface JournalLine {
  seq: number;
  type: string;
  data: Record<string, unknown>;
}

/** Events of all runs of a project, run by run. */
export function journalsOf(root: string): JournalLine[][] {
  const folder = join(root, '.blueprint', 'runs');
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .sort()
    .map((run) =>
      readFileSync(join(folder, run, 'journal.jsonl'), 'utf8')
        .split('\n')
        .filter((line) => line.endsWith('}'))
        .map((line) => JSON.parse(line) as JournalLine),
    );
}

export interface TranscriptTurn {
  stage: string;
  attempt?: number;
  turn: number;
  say?: string;
  expect?: string[];
  calls?: { tool: string; input: Record<string, unknown> }[];
  stop?: string;
  delay?: number;
}

/** The example's recorded replies, to be changed by a test. */
export function exampleReplies(): TranscriptTurn[] {
  return parse(readFileSync(REPLIES, 'utf8')) as TranscriptTurn[];
}

export function writeReplies(project: TestProject, name: string, turns: TranscriptTurn[]): string {
  const path = join(dirname(project.root), name);
  writeFileSync(path, JSON.stringify(turns));
  return `transcript:${path}`;
}
