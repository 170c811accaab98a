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
