import Handlebars from 'handlebars';
import { UsageError } from '../errors.ts';

interface Allowed {
  name: string;
  helpers: readonly string[];
  partials: readonly string[];
}

/**
 * Checks a template's syntax, helpers and partials without rendering it.
 *
 * @throws UsageError with `place` `file:line:column`.
 */
export function checkTemplate(source: string, allowed: Allowed): void {
  visitorFor(allowed).accept(parse(source, allowed.name));
}

function parse(source: string, name: string): hbs.AST.Program {
  try {
    return Handlebars.parse(source);
  } catch (error) {
    const { message, lineNumber, column } = error as { message: string; lineNumber?: number; column?: number };
    const at = lineNumber === undefined ? placeInMessage(message, source) : { line: lineNumber, column: (column ?? 0) + 1 };
    const reason = (message.split('\n').at(-1) ?? message).replace(/ - \d+:\d+$/, '');
    throw new UsageError(`Template ${name} has a fault of syntax: ${reason}`, { place: `${name}:${at.line}:${at.column}`, cause: error });
  }
}

/**
 * The parser tells the line in words and the column only by an arrow below an excerpt that ends at the fault, cut to
 * its last twenty characters with line ends removed.
 */
function placeInMessage(message: string, source: string): { line: number; column: number } {
  const [head = '', excerpt = '', arrow = ''] = message.split('\n');
  const line = Number(/on line (\d+)/.exec(head)?.[1] ?? 1);
  const before = excerpt.slice(0, Math.max(arrow.length - 1, 0)).replace(/^\.\.\./, '');
  const text = source.split('\n')[line - 1] ?? '';
  for (let from = 0; from < before.length; from += 1) {
    const index = text.indexOf(before.slice(from));
    if (index !== -1) return { line, column: index + before.length - from + 1 };
  }
  return { line, column: 1 };
}

function visitorFor(allowed: Allowed): InstanceType<typeof Handlebars.Visitor> {
  const { name } = allowed;
  const demandHelper = (node: { path: hbs.AST.Expression; params: unknown[]; loc: hbs.AST.SourceLocation }) => {
    const { original } = node.path as hbs.AST.PathExpression;
    if (node.params.length === 0 || allowed.helpers.includes(original)) return;
    fail(`Unexpected helper "${original}" in template ${name}, expected one of ${allowed.helpers.join(', ')}.`, name, node.loc);
  };
  const visitor = new Handlebars.Visitor();
  const original = Handlebars.Visitor.prototype;
  return Object.assign(visitor, {
    MustacheStatement(node: hbs.AST.MustacheStatement) {
      demandHelper(node);
      original.MustacheStatement.call(visitor, node);
    },
    BlockStatement(node: hbs.AST.BlockStatement) {
      demandHelper(node);
      original.BlockStatement.call(visitor, node);
    },
    SubExpression(node: hbs.AST.SubExpression) {
      demandHelper(node);
      original.SubExpression.call(visitor, node);
    },
    PartialStatement(node: hbs.AST.PartialStatement) {
      const partial = (node.name as hbs.AST.PathExpression).original;
      if (!allowed.partials.includes(partial)) {
        fail(`Unexpected partial "${partial}" in template ${name}, expected ${allowed.partials.join(', ') || 'none'}.`, name, node.loc);
      }
      original.PartialStatement.call(visitor, node);
    },
  });
}

function fail(message: string, name: string, loc: hbs.AST.SourceLocation): never {
  throw new UsageError(message, { place: `${name}:${loc.start.line}:${loc.start.column + 1}` });
}
