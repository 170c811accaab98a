/** What a command sees of the environment, by name and value; absent names are `undefined`. */
export type Environment = Record<string, string | undefined>;

/**
 * The environment for commands: keys, tokens and whatever would redirect git or a nested test runner is gone, and
 * nothing in it opens an editor, a pager or a prompt. npm's own configuration stays.
 */
export function scrubEnvironment(env: Environment): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (value !== undefined && !isWithheld(name.toUpperCase())) kept[name] = value;
  }
  return { ...kept, ...NOTHING_WAITS };
}

const NOTHING_WAITS: Record<string, string> = {
  CI: '1',
  EDITOR: 'true',
  VISUAL: 'true',
  GIT_EDITOR: 'true',
  GIT_PAGER: 'cat',
  GIT_TERMINAL_PROMPT: '0',
  NO_COLOR: '1',
  PAGER: 'cat',
};

const WITHHELD_PREFIXES = ['ANTHROPIC_', 'CLAUDE_', 'OPENAI_', 'GEMINI_', 'AWS_', 'GIT_', 'VITEST'];

const WITHHELD_SUFFIXES = ['_TOKEN', '_SECRET', '_API_KEY', '_PASSWORD'];

// NODE_TEST_CONTEXT turns the output of a nested `node --test` into a binary stream for a parent that is not there;
// NODE_OPTIONS may load code of ours, and FORCE_COLOR overrules NO_COLOR with a warning on stderr.
const WITHHELD_NAMES = new Set([
  'CLAUDECODE',
  'FORCE_COLOR',
  'GH_TOKEN',
  'GITHUB_TOKEN',
  'GOOGLE_API_KEY',
  'NODE_OPTIONS',
  'NODE_TEST_CONTEXT',
]);

function isWithheld(name: string): boolean {
  if (name.startsWith('NPM_CONFIG_')) return false;
  return (
    WITHHELD_NAMES.has(name) ||
    WITHHELD_PREFIXES.some((prefix) => name.startsWith(prefix)) ||
    WITHHELD_SUFFIXES.some((suffix) => name.endsWith(suffix))
  );
}
