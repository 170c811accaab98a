import matter from 'gray-matter';
import { parseDocument, stringify, YAMLParseError } from 'yaml';
import type { Fault } from './fault.ts';
import { normaliseText } from './lines.ts';

export interface FrontMatter {
  data: Record<string, unknown>;
  /** Whether the text has a front matter at all. */
  present: boolean;
  /** Text after the front matter, normalised (LF, no byte order mark). */
  body: string;
  /** Offset of the body in the normalised text. */
  bodyOffset: number;
  /** 1-based line on which the body starts. */
  bodyLine: number;
}

export type SplitFrontMatter = ({ ok: true } & FrontMatter) | { ok: false; fault: Fault };

/**
 * Reads the front matter of a text. Only YAML mappings are read (YAML 1.2 core: dates stay text); a front matter in
 * any other language is a fault and is never run. Never throws for bad text.
 */
export function splitFrontMatter(text: string): SplitFrontMatter {
  const source = normaliseText(text);
  const span = frontMatterSpan(source);
  if (span === undefined) {
    const fault = neverClosed(source);
    if (fault) return { ok: false, fault };
    return { ok: true, data: {}, present: false, body: source, bodyOffset: 0, bodyLine: 1 };
  }
  try {
    // Options must be given: without them gray-matter answers a second read of a broken text with an empty success.
    const { data } = matter(source.slice(0, span.end), { language: 'yaml', engines });
    const bodyLine = source.slice(0, span.end).split('\n').length;
    return { ok: true, data, present: true, body: source.slice(span.end), bodyOffset: span.end, bodyLine };
  } catch (error) {
    return { ok: false, fault: faultOf(error) };
  }
}

/** A record as front matter, both fences and the final line end included. Keys keep their order, values one line each. */
export function renderFrontMatter(record: Record<string, unknown>): string {
  const yaml = Object.keys(record).length === 0 ? '' : stringify(record, { lineWidth: 0, version: '1.2' });
  return `---\n${yaml}---\n`;
}

/** Offsets in a normalised text: of the YAML between the fences, and of the end of the closing line. */
export function frontMatterSpan(source: string): { yamlStart: number; yamlEnd: number; end: number } | undefined {
  const opening = /^---[^\S\n]*[a-z]*[^\S\n]*\n/i.exec(source)?.[0];
  if (opening === undefined) return undefined;
  const closing = /^---[^\S\n]*(?:\n|$)/gm;
  closing.lastIndex = opening.length;
  const match = closing.exec(source);
  if (match === null) return undefined;
  return { yamlStart: opening.length, yamlEnd: match.index, end: match.index + match[0].length };
}

class FrontMatterError extends Error {}

const refuse = (language: string) => ({
  parse: (): never => {
    throw new FrontMatterError(`Unexpected front matter in ${language}, expected YAML between lines of \`---\`.`);
  },
});

/** gray-matter's own engines for these languages run or guess; every one is replaced. */
const engines = {
  yaml: { parse: parseMapping },
  yml: { parse: parseMapping },
  js: refuse('JavaScript'),
  javascript: refuse('JavaScript'),
  json: refuse('JSON'),
  coffee: refuse('CoffeeScript'),
  toml: refuse('TOML'),
};

function parseMapping(yaml: string): Record<string, unknown> {
  const document = parseDocument(yaml, { version: '1.2', schema: 'core', logLevel: 'error' });
  const [error] = document.errors;
  if (error) throw error;
  const value: unknown = document.toJS({ maxAliasCount: 50 });
  if (value === null) return {};
  if (typeof value !== 'object' || Array.isArray(value)) {
    throw new FrontMatterError('Unexpected front matter that is no mapping, expected lines of `key: value`.');
  }
  return { ...value };
}

function faultOf(error: unknown): Fault {
  if (error instanceof YAMLParseError) {
    // gray-matter hands over what follows the opening `---` on its own line, so YAML lines are lines of the file.
    const at = error.linePos?.[0];
    const reason = (error.message.split('\n')[0] ?? '').replace(/ at line \d+, column \d+:?$/, '');
    return {
      message: `Unexpected front matter: ${reason}; expected lines of \`key: value\`.`,
      line: at?.line ?? 1,
      column: at?.col ?? 1,
      hint: hintFor(error.code),
    };
  }
  const reason = error instanceof Error ? error.message : String(error);
  if (error instanceof FrontMatterError) return { message: reason, line: 1, column: 1 };
  return { message: `Unexpected front matter: ${reason}; expected lines of \`key: value\`.`, line: 1, column: 1 };
}

function hintFor(code: string): string {
  if (code === 'BLOCK_AS_IMPLICIT_KEY' || code === 'BAD_SCALAR_START') return 'Quote the value: `key: "value: more"`.';
  if (code === 'DUPLICATE_KEY') return 'Keep one of the two keys.';
  if (code === 'TAB_AS_INDENT') return 'Indent with spaces.';
  if (code === 'MISSING_CHAR') return 'Close the quote or bracket.';
  return 'Quote values that hold `:`, `#`, brackets or quotes.';
}

function neverClosed(source: string): Fault | undefined {
  if (!/^---[^\S\n]*\n[\w-]+:(?:\s|$)/.test(source)) return undefined;
  return {
    message: 'Unexpected open front matter on line 1, expected a line of `---` after it.',
    line: 1,
    column: 1,
    hint: 'Add a line of `---` below the last key.',
  };
}
