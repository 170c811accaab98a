import { wellFormed } from './lines.ts';

/** A text as it may be stored and sent: no halves of characters, no NUL, no keys. */
export function cleanText(text: string, redact: (text: string) => string): string {
  return redact(wellFormed(text).replaceAll('\0', '\uFFFD'));
}

/** The same for every text within a value, keys of objects too. */
export function cleanValue<Value>(value: Value, clean: (text: string) => string): Value {
  return cleaned(value, clean) as Value;
}

function cleaned(value: unknown, clean: (text: string) => string): unknown {
  if (typeof value === 'string') return clean(value);
  if (Array.isArray(value)) return value.map((item) => cleaned(item, clean));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [clean(key), cleaned(item, clean)]));
}

/** Fields of events and failures that hold words; everything else is a name, a path or a digest that is looked up again. */
const WORDS = new Set(['message', 'reason', 'hint', 'detail', 'command', 'question', 'note', 'text']);

/** Takes keys out of the words within a value, and halves of characters out of all of it. */
export function cleanWords<Value>(value: Value, redact: (text: string) => string): Value {
  return wordsCleaned(cleanValue(value, wellFormed), redact) as Value;
}

function wordsCleaned(value: unknown, redact: (text: string) => string): unknown {
  if (Array.isArray(value)) return value.map((item) => wordsCleaned(item, redact));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key,
      typeof item === 'string' && WORDS.has(key) ? redact(item) : wordsCleaned(item, redact),
    ]),
  );
}
