import { access } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { parseNodeTestScript } from './node-test-script.ts';
import { readPackage, type Package } from './package-json.ts';

/** A finding about the project, and what it was concluded from. */
export interface DetectedRunner {
  name: 'node:test' | 'vitest';
  why: string;
  /** Arguments of Node from the test script. */
  nodeArguments?: string[];
  /** Files or globs of the whole suite, as the test script writes them. */
  patterns?: string;
}

export interface DetectedCommand {
  name: string;
  argv: string[];
  why: string;
}

export interface Stack {
  language: 'typescript' | 'javascript' | undefined;
  packageManager: { name: 'npm' | 'pnpm' | 'yarn' | 'bun'; why: string } | undefined;
  /** `undefined` when no runner whose single results we can read was found. */
  runner: DetectedRunner | undefined;
  /** Why there is no runner. */
  noRunner: string | undefined;
  /** Verification commands in the order to run them. */
  commands: DetectedCommand[];
}

/** Finds out what a Node project is built, tested and checked with. Throws `UsageError` for a broken package.json. */
export async function detectStack({ root }: { root: string }): Promise<Stack> {
  const found = await readPackage(root);
  if (found === undefined) {
    const noRunner = 'There is no package.json in the project root.';
    return { language: undefined, packageManager: undefined, runner: undefined, noRunner, commands: [] };
  }
  const packageManager = await detectPackageManager(root, found);
  const runner = detectRunner(found);
  const isTyped = found.dependencies.has('typescript') || (await exists(join(root, 'tsconfig.json')));
  return {
    language: isTyped ? 'typescript' : 'javascript',
    packageManager,
    runner: typeof runner === 'string' ? undefined : runner,
    noRunner: typeof runner === 'string' ? runner : undefined,
    commands: detectCommands(found, packageManager.name, typeof runner === 'string'),
  };
}

const LOCK_FILES = {
  'pnpm-lock.yaml': 'pnpm',
  'yarn.lock': 'yarn',
  'bun.lock': 'bun',
  'bun.lockb': 'bun',
  'package-lock.json': 'npm',
  'npm-shrinkwrap.json': 'npm',
} as const;

async function detectPackageManager(root: string, found: Package): Promise<NonNullable<Stack['packageManager']>> {
  const named = /^(npm|pnpm|yarn|bun)@/.exec(found.packageManager)?.[1];
  const name = Object.values(LOCK_FILES).find((manager) => manager === named);
  if (name !== undefined) return { name, why: `packageManager is "${found.packageManager}"` };
  // In a workspace the lock lies above; the top of the repository is as far as a project reaches.
  for (let folder = root; ; folder = dirname(folder)) {
    for (const [file, manager] of Object.entries(LOCK_FILES)) {
      if (await exists(join(folder, file))) return { name: manager, why: `${join(folder, file)} is there` };
    }
    if (folder === dirname(folder) || (await exists(join(folder, '.git')))) return { name: 'npm', why: 'no lock file says otherwise' };
  }
}

/** The runner, or why there is none. The script a person runs counts more than what happens to be installed. */
function detectRunner(found: Package): DetectedRunner | string {
  const script = found.scripts.get('test') ?? '';
  const why = `scripts.test is "${script}"`;
  if (/\bvitest\b/.test(script)) return { name: 'vitest', why };
  const nodeTest = parseNodeTestScript(script);
  if (nodeTest !== undefined) return { name: 'node:test', why, ...nodeTest };
  if (/\bjest\b/.test(script)) return `${why}: results of jest are not read test by test.`;
  if (found.dependencies.has('vitest')) return { name: 'vitest', why: 'vitest is a dependency' };
  if (found.dependencies.has('jest')) return 'jest is a dependency: its results are not read test by test.';
  return script === '' ? 'package.json has no test script and no known test runner.' : `${why}: that is no known test runner.`;
}

const VERIFYING = [['typecheck', 'type-check', 'check-types', 'types', 'tsc'], ['lint'], ['build']];

function detectCommands(found: Package, manager: string, withTests: boolean): DetectedCommand[] {
  const groups = withTests ? [...VERIFYING, ['test']] : VERIFYING;
  return groups.flatMap((names) => {
    const name = names.find((candidate) => isVerifying(found.scripts.get(candidate)));
    return name === undefined ? [] : [{ name, argv: [manager, 'run', name], why: `scripts.${name} is "${found.scripts.get(name)}"` }];
  });
}

/** A script that watches never ends, and the one `npm init` writes only says that there is none. */
function isVerifying(script: string | undefined): boolean {
  return script !== undefined && !/(?:^|\s)(?:--watch|-w)\b/.test(script) && !script.includes('no test specified');
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
