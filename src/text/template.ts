import Handlebars from 'handlebars';
import { UsageError } from '../errors.ts';
import { checkTemplate } from './template-check.ts';

export interface Template {
  /** File name or path, for messages. */
  name: string;
  /**
   * Fills the template. The data is copied as plain JSON-like values; text in it is never read as a template.
   *
   * @throws UsageError naming template and variable when the template uses one that the data does not have.
   */
  render(data: Record<string, unknown>): string;
}

export interface TemplateOptions {
  /** File name or path, for messages. */
  name: string;
  /** Templates that `{{> name}}` may use. They see the context and hash given to them, not `@index` and the like. */
  partials?: Record<string, Template>;
}

/**
 * Compiles a Handlebars template: nothing is escaped (the output is Markdown), unknown variables are errors, and
 * prototypes cannot be reached. `{{#if x}}` and `{{#unless x}}` ask whether `x` is there, so they may name what is not.
 * `{{ordinal @index}}` counts from 1.
 *
 * @throws UsageError with `place` `file:line:column` for a fault of syntax, an unknown helper or an unknown partial.
 */
export function compileTemplate(source: string, options: TemplateOptions): Template {
  const { name, partials = {} } = options;
  checkTemplate(source, { name, helpers: HELPERS, partials: Object.keys(partials) });
  const environment = Handlebars.create();
  environment.registerHelper('ordinal', (index: unknown) => Number(index) + 1);
  for (const block of ['each', 'with'] as const) demandContext(environment, block, source, name);
  for (const [partial, template] of Object.entries(partials)) {
    // A function is used as it is; a string would be compiled with the options of whoever uses it first.
    environment.registerPartial(partial, (context: Record<string, unknown>) => template.render(context));
  }
  const compiled = environment.compile(source, { strict: true, noEscape: true });
  return {
    name,
    render(data) {
      try {
        return compiled(plain(data), { allowProtoPropertiesByDefault: false, allowProtoMethodsByDefault: false });
      } catch (error) {
        throw renderError(error, name);
      }
    },
  };
}

const HELPERS = ['ordinal', 'if', 'unless', 'each', 'with', 'lookup'];

type Environment = ReturnType<typeof Handlebars.create>;

/** Strict mode lets `{{#each missing}}` pass in silence; here it is as unknown as `{{missing}}`. */
function demandContext(environment: Environment, helper: 'each' | 'with', source: string, name: string): void {
  const original = environment.helpers[helper] as (...given: unknown[]) => unknown;
  environment.registerHelper(helper, function (this: unknown, ...given: unknown[]) {
    if (given[0] === undefined) {
      const { start } = (given.at(-1) as { loc: { start: { line: number; column: number } } }).loc;
      const tag = source.split('\n')[start.line - 1]?.slice(start.column) ?? '';
      const variable = /^\{\{~?#\w+\s+([^\s}~]+)/.exec(tag)?.[1] ?? helper;
      throw unknownVariable(name, variable, `${name}:${start.line}:${start.column + 1}`);
    }
    return original.apply(this, given);
  });
}

function renderError(error: unknown, name: string): UsageError {
  if (error instanceof UsageError) return error;
  const { message, lineNumber, column } = error as { message: string; lineNumber?: number; column?: number };
  const place = lineNumber === undefined ? name : `${name}:${lineNumber}:${(column ?? 0) + 1}`;
  const variable = /^"(.*)" not defined in /s.exec(message)?.[1];
  if (variable !== undefined) return unknownVariable(name, variable, place);
  return new UsageError(`Template ${name} cannot be rendered: ${message}`, { place, cause: error });
}

function unknownVariable(name: string, variable: string, place: string): UsageError {
  return new UsageError(`Unexpected variable "${variable}" in template ${name}, expected one that its data has.`, { place });
}

/** What every object in a context inherits from: nothing but a text for Handlebars' own messages. */
const BARE: object = Object.freeze(Object.create(null, { [Symbol.toPrimitive]: { value: () => 'the data' } }));

/** A copy that has own values only: no prototype to climb, no functions to call. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value === 'function' || typeof value === 'symbol') return undefined;
  if (typeof value !== 'object' || value === null) return value;
  const copy = Object.create(BARE) as Record<string, unknown>;
  for (const [key, inner] of Object.entries(value)) copy[key] = plain(inner);
  return copy;
}
