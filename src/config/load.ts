import { parseDocument, type YAMLParseError, type YAMLWarning } from 'yaml';
import { UsageError } from '../errors.ts';
import { normaliseText } from '../text/lines.ts';
import { firstFault } from './fault.ts';
import { type Config, configSchema } from './schema.ts';

export interface ConfigSource {
  /** Text of the file; undefined when there is none, which means defaults. */
  text: string | undefined;
  /** Path to show, from the project root. */
  file: string;
}

/**
 * Reads the configuration and fills in the defaults. Every fault is told at the key or value that has it.
 *
 * @throws UsageError with `place` `file:line:column` for a fault of syntax, an unknown key, a wrong type or value.
 */
export function loadConfig({ text, file }: ConfigSource): { config: Config; warnings: string[] } {
  const source = normaliseText(text ?? '');
  const document = parseDocument(source, { version: '1.2', schema: 'core', logLevel: 'error', prettyErrors: true });
  const [error] = document.errors;
  if (error)
    throw new UsageError(`Expected YAML, got a fault of syntax: ${reasonOf(error)}.`, { place: placeOf(error, file), cause: error });
  const value = valueOf(() => document.toJS({ maxAliasCount: 50 }) as unknown, file);
  const result = configSchema.safeParse(value);
  if (!result.success) throw firstFault(result.error.issues, { document, source, value, file });
  const warnings = document.warnings.map((warning) => `${placeOf(warning, file)}: ${reasonOf(warning)}.`);
  return { config: result.data, warnings };
}

/** An empty file, or one of comments only, is as good as none. */
function valueOf(read: () => unknown, file: string): unknown {
  try {
    return read() ?? {};
  } catch (cause) {
    // The parser refuses aliases that would unfold without end only here.
    throw new UsageError('Expected a configuration with few aliases, got one that unfolds too far.', { place: `${file}:1:1`, cause });
  }
}

function placeOf(error: YAMLParseError | YAMLWarning, file: string): string {
  const at = error.linePos?.[0];
  return `${file}:${at?.line ?? 1}:${at?.col ?? 1}`;
}

function reasonOf(error: YAMLParseError | YAMLWarning): string {
  return (error.message.split('\n')[0] ?? '').replace(/ at line \d+, column \d+:?$/, '').replace(/\.$/, '');
}
