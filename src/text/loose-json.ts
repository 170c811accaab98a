/** What a text is as JSON, or why it is none: with 1-based line and column (UTF-16 units). */
export type LooseJson = { ok: true; value: unknown } | { ok: false; message: string; line: number; column: number };

/**
 * Reads JSON as models write it. Tolerated, because only one reading is possible: comments, trailing commas, raw line
 * ends and tabs in strings. Refused with its place: other quotes than `"`, NaN and Infinity, keys given twice, anything
 * cut off or left over. Never evaluates anything.
 */
export function parseLooseJson(text: string): LooseJson {
  const reader = new Reader(text, 0);
  try {
    const value = reader.value(0);
    reader.blanks();
    if (reader.at < text.length) reader.fail(`Unexpected ${shown(text, reader.at)} after the end of the value`);
    return { ok: true, value };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return { ok: false, message: error.message, ...placeOf(text, error.offset) };
  }
}

/** The outermost objects that stand complete in a text, in order; what does not parse is passed over. */
export function findObjects(text: string): Record<string, unknown>[] {
  const found: Record<string, unknown>[] = [];
  let tries = 0;
  for (let at = text.indexOf('{'); at !== -1 && tries < MOST_TRIES; at = text.indexOf('{', at)) {
    const reader = new Reader(text, at);
    tries += 1;
    try {
      found.push(reader.value(0) as Record<string, unknown>);
      at = reader.at;
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      at += 1;
    }
  }
  return found;
}

/** A text of nothing but opening braces would otherwise be read once for each. */
const MOST_TRIES = 500;
const DEEPEST = 200;

class Fault extends Error {
  readonly offset: number;
  constructor(message: string, offset: number) {
    super(message);
    this.offset = offset;
  }
}

class Reader {
  at: number;
  private readonly text: string;

  constructor(text: string, at: number) {
    this.text = text;
    this.at = at;
  }

  fail(message: string, offset = this.at): never {
    throw new Fault(`${message}.`, offset);
  }

  /** Passes blanks, a byte order mark and comments. */
  blanks(): void {
    for (;;) {
      const rest = matchAt(/[\s\uFEFF]+|\/\/[^\n]*|\/\*[^]*?\*\//y, this.text, this.at);
      if (rest === undefined) return;
      this.at += rest.length;
    }
  }

  value(depth: number): unknown {
    this.blanks();
    if (depth > DEEPEST) this.fail(`Expected at most ${DEEPEST} levels`);
    const char = this.text[this.at];
    if (char === '{') return this.object(depth);
    if (char === '[') return this.array(depth);
    if (char === '"') return this.string();
    const word = matchAt(/-?[\p{L}\p{N}_.+-]+/uy, this.text, this.at);
    if (word !== undefined && /^(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)$/.test(word)) {
      this.at += word.length;
      return JSON.parse(word) as unknown;
    }
    return this.fail(`Expected a value, got ${word ?? shown(this.text, this.at)}`);
  }

  private object(depth: number): Record<string, unknown> {
    const entries = new Map<string, unknown>();
    this.items('}', () => {
      if (this.text[this.at] !== '"') this.fail(`Expected a key in double quotes, got ${shown(this.text, this.at)}`);
      const keyAt = this.at;
      const key = this.string();
      if (entries.has(key)) this.fail(`Unexpected second ${JSON.stringify(key)}, expected each key once`, keyAt);
      this.blanks();
      if (this.text[this.at] !== ':') this.fail(`Expected : after the key, got ${shown(this.text, this.at)}`);
      this.at += 1;
      entries.set(key, this.value(depth + 1));
    });
    // Not by assignment: a key named __proto__ is a key like any other.
    return Object.fromEntries(entries);
  }

  private array(depth: number): unknown[] {
    const values: unknown[] = [];
    this.items(']', () => values.push(this.value(depth + 1)));
    return values;
  }

  /** Items with commas between them, one behind the last allowed, up to the closing character. */
  private items(close: string, item: () => void): void {
    this.at += 1;
    for (;;) {
      this.blanks();
      if (this.text[this.at] === close) break;
      item();
      this.blanks();
      if (this.text[this.at] === ',') this.at += 1;
      else if (this.text[this.at] !== close) this.fail(`Expected , or ${close}, got ${shown(this.text, this.at)}`);
    }
    this.at += 1;
  }

  private string(): string {
    const start = this.at;
    const raw = matchAt(/"(?:[^"\\]|\\[^])*"/y, this.text, start);
    if (raw === undefined) this.fail('Expected a closing ", got the end', this.text.length);
    this.at += raw.length;
    const bad = /\\(?:[^"\\/bfnrtu]|u(?![0-9a-fA-F]{4}))/.exec(raw.replaceAll('\\\\', '__'));
    if (bad) this.fail(`Unexpected escape ${bad[0]}`, start + bad.index);
    return JSON.parse(raw.replace(/\p{Cc}/gu, (char) => JSON.stringify(char).slice(1, -1))) as string;
  }
}

function matchAt(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
}

function shown(text: string, at: number): string {
  const char = text.codePointAt(at);
  return char === undefined ? 'the end' : String.fromCodePoint(char);
}

function placeOf(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset).split('\n');
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}
