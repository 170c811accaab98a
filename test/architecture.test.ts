import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseSync } from 'vite';
import { describe, expect, it } from 'vitest';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..');
/** Most lines of a source file. */
const CEILING = 200;

interface Source {
  /** From `src/`, forward slashes. */
  path: string;
  text: string;
}

interface Import {
  line: number;
  target: string;
  typeOnly: boolean;
  dynamic: boolean;
}

interface Node {
  type: string;
  start: number;
  [key: string]: unknown;
}

/** Offenders as `file:line what`. */
type Rule = (source: Source, all: Source[]) => string[];

const SIBLINGS = 'config roles artifacts guardrails retry history journal agent tools engines workspace report'.split(' ');
const EDGE = ['bin.ts', 'cli/io.ts', 'util/process.ts'];

/** Where each third party may be imported. zod stands wherever foreign data comes in. */
const HOMES: Record<string, RegExp> = {
  remark: /^text\//,
  'remark-gfm': /^text\//,
  'remark-frontmatter': /^text\//,
  unified: /^text\//,
  'unist-util-visit': /^text\//,
  mdast: /^text\//,
  'gray-matter': /^text\//,
  handlebars: /^text\//,
  // Role files: the one reader outside its homes, named by file so that no second one joins it unseen.
  yaml: /^(text|config|engines\/transcript)\/|^roles\/role-file\.ts$/,
  execa: /^util\//,
  commander: /^cli\//,
  '@clack/prompts': /^cli\//,
  picocolors: /^(report|cli)\//,
  picomatch: /^workspace\//,
  '@anthropic-ai/sdk': /^engines\/anthropic\//,
  zod: /^(model|text|config|roles|artifacts|tools|engines|workspace|pipeline)\//,
};

const foundations: Rule = (source) => {
  const area = areaOf(source.path);
  const allowed: Record<string, string[]> = {
    'errors.ts': [],
    model: ['model'],
    util: ['util', 'errors.ts'],
    text: ['text', 'util', 'errors.ts'],
  };
  const may = allowed[area];
  if (!may) return [];
  // A type is no dependency at run time: ports are described in the model.
  const seesTypes = area === 'util' || area === 'text';
  const isPure = area === 'errors.ts' || area === 'model';
  const own = ownImports(source).filter(
    ({ target, typeOnly }) => !may.includes(areaOf(target)) && !(seesTypes && typeOnly && areaOf(target) === 'model'),
  );
  const system = importsOf(source).filter(({ target }) => isPure && target.startsWith('node:'));
  return offenders(source, [...own, ...system]);
};

const siblings: Rule = (source) => {
  const area = areaOf(source.path);
  if (!SIBLINGS.includes(area)) return [];
  const may = [area, 'model', 'errors.ts', 'util', 'text'];
  return offenders(
    source,
    ownImports(source).filter(({ target }) => !may.includes(areaOf(target))),
  );
};

const concrete: Rule = (source) => {
  const area = areaOf(source.path);
  if (/^compose(?:-[a-z]+)?\.ts$/.test(source.path)) return [];
  return offenders(
    source,
    ownImports(source).filter(({ target }) => ['engines', 'tools'].includes(areaOf(target)) && areaOf(target) !== area),
  );
};

const cliIsTheEdge: Rule = (source) => {
  if (source.path === 'bin.ts' || areaOf(source.path) === 'cli') return [];
  return offenders(
    source,
    ownImports(source).filter(({ target }) => areaOf(target) === 'cli'),
  );
};

const thirdParties: Rule = (source) =>
  offenders(
    source,
    importsOf(source).filter(({ target }) => !/^(\.|node:)/.test(target) && !HOMES[packageOf(target)]?.test(source.path)),
  );

const outsideWorld: Rule = (source) => {
  if (EDGE.includes(source.path)) return [];
  const found: string[] = [];
  const note = (node: Node, what: string): void => void found.push(`${source.path}:${lineOf(source, node.start)} ${what}`);
  walk(programOf(source), (node, parent, key) => {
    if (/^TSType(Annotation|Query|Reference|AliasDeclaration|ParameterInstantiation)$|^TSInterfaceDeclaration$/.test(node.type))
      return false;
    const name = nameOf(node);
    const isLabel = (key === 'property' || key === 'key') && parent?.['computed'] !== true;
    if ((name === 'process' || name === 'console') && !isLabel) note(node, name);
    if (node.type === 'ImportDeclaration' && /^node:(process|console)$/.test(textOf(node['source']))) note(node, textOf(node['source']));
    const member = node.type === 'MemberExpression' ? `${nameOf(node['object'])}.${nameOf(node['property'])}` : '';
    if (member === 'Date.now' || member === 'Math.random') note(node, member);
    const asksNow = node.type === 'CallExpression' || (node.type === 'NewExpression' && (node['arguments'] as unknown[]).length === 0);
    if (asksNow && nameOf(node['callee']) === 'Date') note(node, 'Date()');
    return true;
  });
  return found;
};

const quietImports: Rule = (source) => {
  if (source.path === 'bin.ts') return [];
  const program = programOf(source);
  const statements = program['body'] as Node[];
  // Names that do work outside of the process when they are called.
  const reaching = new Set(
    statements
      .filter(
        (node) => node.type === 'ImportDeclaration' && /^node:(fs|child_process|net|https?|worker_threads)\b/.test(textOf(node['source'])),
      )
      .flatMap((node) => (node['specifiers'] as Node[]).map((specifier) => nameOf(specifier['local']))),
  );
  return statements.flatMap((statement) => {
    const at = `${source.path}:${lineOf(source, statement.start)}`;
    if (statement.type === 'ImportDeclaration' && (statement['specifiers'] as Node[]).length === 0) return [`${at} import for its effect`];
    const isDirective = statement['directive'] !== undefined && statement['directive'] !== null;
    if (/^(Expression|For|ForIn|ForOf|While|DoWhile|If|Try|Switch|Throw|Block)Statement$/.test(statement.type) && !isDirective)
      return [`${at} ${statement.type}`];
    const found: string[] = [];
    walk(statement, (node) => {
      if (/Function|^MethodDefinition$/.test(node.type)) return false;
      const callee = node['callee'] as Node | undefined;
      const called = callee?.type === 'MemberExpression' ? nameOf(callee['object']) : nameOf(callee);
      if (node.type === 'AwaitExpression' || (node.type === 'CallExpression' && reaching.has(called))) found.push(`${at} ${node.type}`);
      return true;
    });
    return found;
  });
};

const length: Rule = (source) => {
  const lines = lengthOf(source);
  return lines > CEILING ? [`${source.path}:${lines} is longer than ${CEILING} lines`] : [];
};

/** Static imports only: a dynamic one comes when everything is loaded, and a type is gone by then. */
const cycles: Rule = (source, all) => {
  const byPath = new Map(all.map((one) => [one.path, one]));
  const next = (path: string): Import[] => {
    const one = byPath.get(path);
    return one ? ownImports(one).filter(({ typeOnly, dynamic }) => !typeOnly && !dynamic) : [];
  };
  const seen = new Set<string>();
  const queue = next(source.path).map(({ target, line }) => ({ target, line, chain: [source.path, target] }));
  for (let step = queue.shift(); step; step = queue.shift()) {
    const { target, line, chain } = step;
    if (target === source.path) return [`${source.path}:${line} ${chain.join(' -> ')}`];
    if (seen.has(target)) continue;
    seen.add(target);
    queue.push(...next(target).map((one) => ({ target: one.target, line, chain: [...chain, one.target] })));
  }
  return [];
};

const noModuleMocks: Rule = ({ path, text }) =>
  text.split('\n').flatMap((line, index) => (/\bvi\.(?:mock|doMock)\(/.test(line) ? [`${path}:${index + 1} ${line.trim()}`] : []));

// Each rule with sources that break it (a rule that cannot fail guards nothing) and with their innocent lookalikes.
const RULES: { title: string; rule: Rule; bad: [path: string, text: string][]; good: [path: string, text: string][] }[] = [
  {
    title: 'errors, model, util and text stand on nothing above them',
    rule: foundations,
    bad: [
      ['text/x.ts', "import { a } from '../artifacts/kinds.ts';"],
      ['text/x.ts', "import { a } from '../model/engine.ts';"],
      ['text/x.ts', "import { type A } from '../model/engine.ts';"],
      ['util/x.ts', "export * from '../text/lines.ts';"],
      ['model/x.ts', "import type { A } from '../errors.ts';"],
      ['model/x.ts', "import { readFile } from 'node:fs/promises';"],
      ['errors.ts', "import type { A } from './model/failure.ts';"],
    ],
    good: [
      ['text/x.ts', "import type { A } from '../model/failure.ts';\nimport { b } from '../util/files.ts';"],
      ['model/x.ts', "import type { A } from './failure.ts';"],
    ],
  },
  {
    title: 'sibling folders do not import each other',
    rule: siblings,
    bad: [
      ['agent/x.ts', "import { a } from '../journal/fold.ts';"],
      ['report/x.ts', "import type {\n  A,\n} from '../pipeline/run.ts';"],
    ],
    good: [['engines/one/x.ts', "import { a } from '../shared.ts';\nimport { b } from '../../util/files.ts';"]],
  },
  {
    title: 'only compose.ts names concrete engines and tools',
    rule: concrete,
    bad: [
      ['pipeline/x.ts', "import { a } from '../tools/all.ts';"],
      ['cli/x.ts', "const a = await import('../engines/transcript/transcript.ts');"],
    ],
    good: [
      ['compose.ts', "import { a } from './tools/all.ts';"],
      ['tools/x.ts', "import { a } from './all.ts';"],
    ],
  },
  {
    title: 'nobody but bin.ts imports cli/',
    rule: cliIsTheEdge,
    bad: [['compose.ts', "import { a } from './cli/io.ts';"]],
    good: [['cli/commands/x.ts', "import { a } from '../io.ts';"]],
  },
  {
    title: 'every third party is imported from its home only',
    rule: thirdParties,
    bad: [
      ['agent/x.ts', "import Handlebars from 'handlebars';"],
      ['cli/x.ts', "const a = await import('@anthropic-ai/sdk/resources');"],
      ['roles/role.ts', "import { parse } from 'yaml';"],
      ['model/x.ts', "import leftPad from 'left-pad';"],
    ],
    good: [['text/x.ts', "import Handlebars from 'handlebars';\nimport { join } from 'node:path';"]],
  },
  {
    title: 'process, console, clock and randomness stay at the edge',
    rule: outsideWorld,
    bad: [
      ['agent/x.ts', 'const now = Date.now();'],
      ['agent/x.ts', 'const now = new Date();'],
      ['agent/x.ts', 'const pick = Math.random;'],
      ['agent/x.ts', 'const { env } = process;'],
      ['agent/x.ts', 'const text = `in ${process.cwd()}`;'],
      ['agent/x.ts', "import { env } from 'node:process';"],
      ['agent/x.ts', 'export const log = { out: console.log };'],
    ],
    good: [
      ['agent/x.ts', "// process.exit() and Date.now()\nconst text = 'console.log';\nconst then = new Date(0);\nconst a = b.process;"],
      ['agent/x.ts', 'interface A { process: string }\nconst a = { console: 1 };'],
      ['util/process.ts', 'export const now = () => Date.now();'],
    ],
  },
  {
    title: 'importing a module does nothing',
    rule: quietImports,
    bad: [
      ['agent/x.ts', 'register(1);'],
      ['agent/x.ts', "import './polyfill.ts';"],
      ['agent/x.ts', "import { readFileSync } from 'node:fs';\nconst a = readFileSync('a');"],
      ['agent/x.ts', 'for (const one of []) one();'],
      ['agent/x.ts', 'export const a = await b;'],
    ],
    good: [
      ['agent/x.ts', "import { readFileSync } from 'node:fs';\nexport const a = () => readFileSync('a');\nexport const b = new Set([1]);"],
      ['bin.ts', 'main();'],
    ],
  },
  { title: 'no module imports itself by way of others', rule: cycles, bad: [], good: [] },
  {
    title: `no file is longer than ${CEILING} lines`,
    rule: length,
    bad: [['agent/x.ts', '\n'.repeat(CEILING + 1)]],
    good: [['agent/x.ts', '\n'.repeat(CEILING)]],
  },
];

const sources = readSources('src');

describe('in src', () => {
  it('there are more than fifty files to look at', () => {
    expect(sources.length).toBeGreaterThan(50);
  });

  it.each(RULES)('$title', ({ rule }) => {
    expect(sources.flatMap((source) => rule(source, sources))).toEqual([]);
  });

  it('the longest file is told', async ({ annotate }) => {
    const [longest] = sources.toSorted((a, b) => lengthOf(b) - lengthOf(a));
    await annotate(`longest: src/${longest?.path} with ${longest && lengthOf(longest)} of ${CEILING} lines`);
    expect(longest && lengthOf(longest)).toBeGreaterThan(0);
  });

  it('every file parses, so that no rule passes for want of something to read', () => {
    expect(sources.filter((source) => parseSync(source.path, source.text).errors.length > 0).map(({ path }) => path)).toEqual([]);
  });
});

describe('in test', () => {
  it('no module is mocked', () => {
    expect(readSources('test').flatMap((source) => noModuleMocks(source, []))).toEqual([]);
  });
});

describe('a rule', () => {
  const bad = RULES.flatMap(({ title, rule, bad: sourcesOf }) => sourcesOf.map(([path, text]) => ({ title, rule, path, text })));
  const good = RULES.flatMap(({ title, rule, good: sourcesOf }) => sourcesOf.map(([path, text]) => ({ title, rule, path, text })));

  it.each(bad)('"$title" fails for $path: $text', ({ rule, path, text }) => {
    expect(rule({ path, text }, [])[0]).toMatch(new RegExp(`^${path}:\\d+ `));
  });

  it.each(good)('"$title" holds for $path: $text', ({ rule, path, text }) => {
    expect(rule({ path, text }, [])).toEqual([]);
  });

  it('against cycles names the whole way round, and lets types and lazy imports pass', () => {
    expect(ringFindings("import { a } from './a.ts';")[0]).toBe('agent/a.ts:2 agent/a.ts -> agent/b.ts -> agent/c.ts -> agent/a.ts');
    expect(ringFindings("import type { a } from './a.ts';")).toEqual([]);
    expect(ringFindings("export const a = () => import('./a.ts');")).toEqual([]);
  });

  it('against module mocks fails for one', () => {
    const call = ['vi', "mock('./a.ts');"].join('.');
    expect(noModuleMocks({ path: 'x.test.ts', text: `\n${call}` }, [])).toEqual([`x.test.ts:2 ${call}`]);
  });
});

/** Three modules of which each imports the next; the last one is given. */
function ring(last: string): Source[] {
  return [
    { path: 'agent/a.ts', text: "\nimport { b } from './b.ts';" },
    { path: 'agent/b.ts', text: "import { c } from './c.ts';" },
    { path: 'agent/c.ts', text: last },
  ];
}

function ringFindings(last: string): string[] {
  const modules = ring(last);
  return modules.flatMap((source) => cycles(source, modules));
}

function readSources(name: string): Source[] {
  const folder = join(ROOT, name);
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.[mc]?ts$/.test(file))
    .map((file) => ({ path: file.replaceAll('\\', '/'), text: readFileSync(join(folder, file), 'utf8') }));
}

const programs = new WeakMap<Source, Node>();
const imports = new WeakMap<Source, Import[]>();

function programOf(source: Source): Node {
  const program = programs.get(source) ?? (parseSync(source.path, source.text).program as unknown as Node);
  programs.set(source, program);
  return program;
}

/** Visits a node and all below it; below one for which `visit` answers false it does not go. */
function walk(node: Node, visit: (node: Node, parent: Node | undefined, key: string) => boolean, parent?: Node, key = ''): void {
  if (!visit(node, parent, key)) return;
  for (const [name, value] of Object.entries(node)) {
    for (const child of Array.isArray(value) ? value : [value]) {
      if (isNode(child)) walk(child, visit, node, name);
    }
  }
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value;
}

function nameOf(node: unknown): string {
  return isNode(node) && node.type === 'Identifier' ? String(node['name']) : '';
}

function textOf(node: unknown): string {
  return isNode(node) && typeof node['value'] === 'string' ? node['value'] : '';
}

/** Every import and re-export of a source, static, dynamic or within a type. */
function importsOf(source: Source): Import[] {
  const known = imports.get(source);
  if (known) return known;
  const found: Import[] = [];
  imports.set(source, found);
  walk(programOf(source), (node) => {
    const target = textOf(node['source']);
    const isImport = /^(Import(Declaration|Expression)|Export(Named|All)Declaration|TSImportType)$/.test(node.type);
    if (isImport && target !== '')
      found.push({
        target,
        line: lineOf(source, node.start),
        // `import { type A }` still loads the module: only the whole statement can be of types.
        typeOnly: node['importKind'] === 'type' || node['exportKind'] === 'type' || node.type === 'TSImportType',
        dynamic: node.type === 'ImportExpression',
      });
    return true;
  });
  return found;
}

function ownImports(source: Source): Import[] {
  return importsOf(source)
    .filter(({ target }) => target.startsWith('.'))
    .map((one) => ({ ...one, target: posix.normalize(posix.join(posix.dirname(source.path), one.target)) }));
}

function offenders({ path }: Source, found: Import[]): string[] {
  return found.map(({ line, target }) => `${path}:${line} imports ${target}`);
}

function lineOf({ text }: Source, offset: number): number {
  return text.slice(0, offset).split('\n').length;
}

function lengthOf({ text }: Source): number {
  return text.split('\n').length - (text.endsWith('\n') ? 1 : 0);
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
