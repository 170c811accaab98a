import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..');
const CEILING = 210;

interface Source {
  /** From `src/`, forward slashes. */
  path: string;
  text: string;
}

interface Import {
  line: number;
  target: string;
  typeOnly: boolean;
}

const SIBLINGS = [
  'config',
  'roles',
  'artifacts',
  'guardrails',
  'retry',
  'history',
  'journal',
  'agent',
  'tools',
  'engines',
  'workspace',
  'report',
];
const OUTSIDE = ['bin.ts', 'cli/io.ts', 'util/process.ts'];

/** Where each third party may be imported. zod stands wherever foreign data comes in. */
const HOMES: Record<string, RegExp> = {
  remark: /^text\//,
  'remark-gfm': /^text\//,
  'remark-frontmatter': /^text\//,
  unified: /^(text|guardrails)\//,
  'unist-util-visit': /^text\//,
  mdast: /^text\/|^artifacts\//,
  'gray-matter': /^text\//,
  handlebars: /^text\//,
  yaml: /^(text|config|roles|engines\/transcript)\//,
  execa: /^util\//,
  commander: /^cli\//,
  '@clack/prompts': /^cli\//,
  picocolors: /^(report|cli)\//,
  picomatch: /^workspace\//,
  '@anthropic-ai/sdk': /^engines\/anthropic\//,
  zod: /^(model|text|config|roles|artifacts|tools|engines|workspace|pipeline)\//,
};

type Rule = (source: Source, all: Source[]) => string[];

const foundations: Rule = ({ path, text }) => {
  const area = areaOf(path);
  const allowed: Record<string, string[]> = {
    'errors.ts': [],
    model: ['model', 'errors.ts'],
    util: ['util', 'errors.ts'],
    text: ['text', 'util', 'errors.ts'],
  };
  const may = allowed[area];
  if (!may) return [];
  // A type is no dependency at run time: ports are described in the model.
  return ownImports(path, text)
    .filter(({ target, typeOnly }) => !may.includes(areaOf(target)) && !(typeOnly && areaOf(target) === 'model' && area !== 'errors.ts'))
    .map(({ line, target }) => `${path}:${line} imports ${target}`);
};

const siblings: Rule = ({ path, text }) => {
  const area = areaOf(path);
  if (!SIBLINGS.includes(area)) return [];
  return ownImports(path, text)
    .filter(({ target }) => areaOf(target) !== area && !['model', 'errors.ts', 'util', 'text'].includes(areaOf(target)))
    .map(({ line, target }) => `${path}:${line} imports ${target}`);
};

const concrete: Rule = ({ path, text }) => {
  if (path === 'compose.ts' || ['engines', 'tools'].includes(areaOf(path))) return [];
  return ownImports(path, text)
    .filter(({ target }) => ['engines', 'tools'].includes(areaOf(target)))
    .map(({ line, target }) => `${path}:${line} imports ${target}`);
};

const cliIsTheEdge: Rule = ({ path, text }) => {
  if (path === 'bin.ts' || areaOf(path) === 'cli') return [];
  return ownImports(path, text)
    .filter(({ target }) => areaOf(target) === 'cli')
    .map(({ line, target }) => `${path}:${line} imports ${target}`);
};

const thirdParties: Rule = ({ path, text }) =>
  importsOf(text)
    .filter(({ target }) => !target.startsWith('.') && !target.startsWith('node:'))
    .filter(({ target }) => !HOMES[packageOf(target)]?.test(path))
    .map(({ line, target }) => `${path}:${line} imports ${target}`);

const outsideWorld: Rule = ({ path, text }) => {
  if (OUTSIDE.includes(path)) return [];
  const offenders: string[] = [];
  codeLines(text).forEach((line, index) => {
    if (
      /(?<![\w.'-])process\.(?!\w*\()|(?<![\w.])process\.(exit|kill|on|cwd)\(|(?<![\w.])console\.|Date\.now\(|new Date\(\)|Math\.random\(/.test(
        line,
      )
    )
      offenders.push(`${path}:${index + 1} ${line.trim()}`);
  });
  return offenders;
};

const length: Rule = ({ path, text }) => {
  const lines = text.split('\n').length;
  return lines > CEILING ? [`${path} has ${lines} lines`] : [];
};

const quietImports: Rule = ({ path, text }) => {
  if (path === 'bin.ts') return [];
  // A statement at the top of a file that calls something and keeps nothing.
  return codeLines(text).flatMap((line, index) =>
    /^(?!(?:import|export|const|let|class|function|async|interface|type|for|if|return|throw|declare|await)\b)[\w.]+\(.*\);?$/.test(line)
      ? [`${path}:${index + 1} ${line}`]
      : [],
  );
};

const cycles: Rule = (source, all) => {
  const graph = new Map(
    all.map(({ path, text }) => [
      path,
      ownImports(path, text)
        .filter(({ typeOnly }) => !typeOnly)
        .map(({ target }) => target),
    ]),
  );
  const seen = new Set<string>();
  const queue = [...(graph.get(source.path) ?? [])];
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    if (next === source.path) return [`${source.path} imports itself in the end`];
    if (seen.has(next)) continue;
    seen.add(next);
    queue.push(...(graph.get(next) ?? []));
  }
  return [];
};

// Each rule with a source that breaks it: a rule that cannot fail guards nothing.
const RULES: [title: string, rule: Rule, bad: Source][] = [
  [
    'errors, model, util and text stand on nothing above them',
    foundations,
    { path: 'text/x.ts', text: "import { a } from '../artifacts/kinds.ts';" },
  ],
  ['sibling folders do not import each other', siblings, { path: 'agent/x.ts', text: "import { a } from '../journal/fold.ts';" }],
  ['only compose.ts names concrete engines and tools', concrete, { path: 'pipeline/x.ts', text: "import { a } from '../tools/all.ts';" }],
  ['nobody but bin.ts imports cli/', cliIsTheEdge, { path: 'compose.ts', text: "import { a } from './cli/io.ts';" }],
  ['every third party has one home', thirdParties, { path: 'agent/x.ts', text: "import Handlebars from 'handlebars';" }],
  ['process, console, clock and randomness stay at the edge', outsideWorld, { path: 'agent/x.ts', text: 'const now = Date.now();' }],
  ['importing a module does nothing', quietImports, { path: 'agent/x.ts', text: 'register(1);' }],
  ['no file is longer than the ceiling', length, { path: 'agent/x.ts', text: '\n'.repeat(CEILING + 1) }],
];

describe('the architecture of src', () => {
  const sources = readSources();

  it('is read from more than fifty files', () => {
    expect(sources.length).toBeGreaterThan(50);
  });

  it.each(RULES)('%s', (_title, rule, bad) => {
    expect(rule(bad, [bad])).not.toEqual([]);
    expect(sources.flatMap((source) => rule(source, sources))).toEqual([]);
  });

  it('has no cycle of imports', () => {
    const ring = [
      { path: 'agent/a.ts', text: "import { b } from './b.ts';" },
      { path: 'agent/b.ts', text: "import { a } from './a.ts';" },
    ];
    expect(cycles(ring[0] as Source, ring)).not.toEqual([]);
    expect(sources.flatMap((source) => cycles(source, sources))).toEqual([]);
  });

  it('is tested without module mocks', () => {
    const folder = join(ROOT, 'test');
    const offenders = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
      (name) => name.endsWith('.ts') && /\bvi\.(?:mock|doMock)\(/.test(readFileSync(join(folder, name), 'utf8')),
    );
    expect(offenders).toEqual([]);
  });
});

function readSources(): Source[] {
  const folder = join(ROOT, 'src');
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => ({ path: name.replaceAll('\\', '/'), text: readFileSync(join(folder, name), 'utf8') }));
}

/** Static and dynamic imports with their lines. */
function importsOf(text: string): Import[] {
  const found: Import[] = [];
  for (const match of text.matchAll(/^(?:import|export)\s+(type\s)?[^;'"]*?from\s+'([^']+)'|^import\s+'([^']+)'|\bimport\('([^']+)'\)/gm)) {
    const target = match[2] ?? match[3] ?? match[4];
    if (target !== undefined) found.push({ target, typeOnly: match[1] !== undefined, line: text.slice(0, match.index).split('\n').length });
  }
  return found;
}

function ownImports(path: string, text: string): Import[] {
  return importsOf(text)
    .filter(({ target }) => target.startsWith('.'))
    .map((one) => ({ ...one, target: posix.normalize(posix.join(posix.dirname(path), one.target)) }));
}

function areaOf(path: string): string {
  return path.split('/')[0] ?? path;
}

function packageOf(target: string): string {
  return target
    .split('/')
    .slice(0, target.startsWith('@') ? 2 : 1)
    .join('/');
}

/** Lines without comments and without the content of strings. */
function codeLines(text: string): string[] {
  return text
    .replace(/\/\*[\s\S]*?\*\//g, (comment) => comment.replace(/[^\n]/g, ' '))
    .replace(/`(?:\\.|[^`\\])*`/g, (string) => string.replace(/[^\n]/g, ' '))
    .split('\n')
    .map((line) => line.replace(/'(?:\\.|[^'\\])*'/g, "''").replace(/\/\/.*$/, ''));
}
