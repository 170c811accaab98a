export interface NodeTestScript {
  nodeArguments: string[];
  patterns: string;
}

/**
 * Takes a test script that is one call of `node --test` or `tsx --test` apart: arguments that Node needs, and the rest as
 * it is written. `undefined` for any other script, also for one of several commands.
 */
export function parseNodeTestScript(script: string): NodeTestScript | undefined {
  const words = script.trim().match(/"[^"]*"|'[^']*'|\S+/g) ?? [];
  // Settings in front of the program (`FOO=1 node --test`) would be lost, and a chain is more than a run of tests.
  const [program, ...rest] = words;
  if ((program !== 'node' && program !== 'tsx') || !rest.includes('--test')) return undefined;
  if (/[;&|<>`]|\$\(/.test(script)) return undefined;
  const nodeArguments = program === 'tsx' ? ['--import', 'tsx'] : [];
  const patterns: string[] = [];
  for (let index = 0; index < rest.length; index += 1) {
    const word = rest[index] ?? '';
    if (!word.startsWith('-')) {
      patterns.push(word);
    } else if (!isOurs(word)) {
      nodeArguments.push(unquoted(word));
      if (TAKES_VALUE.has(word)) nodeArguments.push(unquoted(rest[(index += 1)] ?? ''));
    } else if (word === '--test-reporter' || word === '--test-reporter-destination') {
      index += 1;
    }
  }
  return { nodeArguments, patterns: patterns.join(' ') };
}

const TAKES_VALUE = new Set([
  '--conditions',
  '-C',
  '--env-file',
  '--experimental-loader',
  '--import',
  '--loader',
  '--require',
  '-r',
  '--test-concurrency',
  '--test-name-pattern',
  '--test-timeout',
]);

/** Flags that say how the run goes or what becomes of its results, which is for us to say. */
function isOurs(word: string): boolean {
  return word === '--test' || word === '--watch' || word.startsWith('--test-reporter') || word.includes('coverage');
}

function unquoted(word: string): string {
  return /^(["']).*\1$/.test(word) ? word.slice(1, -1) : word;
}
