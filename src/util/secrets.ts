/** Names of variables that hold keys, whatever they look like; and of those that hold one if it looks like one. */
const KEY_NAME = /_(?:API_KEY|AUTH_TOKEN)$/i;
const SECRET_NAME = /(?:TOKEN|SECRET|KEY|PASSWORD|PASSWD|CREDENTIALS?|CUSTOM_HEADERS)$/i;

/**
 * Values that must not be stored, sent or shown: of variables named like keys, if they look like one, and addresses with
 * a password in them. Short or plain words are left: a password `postgres` is also a word of the code. Of several lines
 * (a private key, headers) each that looks like a key counts by itself too.
 */
export function secretValues(variables: Record<string, string | undefined>): string[] {
  return Object.entries(variables).flatMap(([name, value = '']) => {
    const isKey = KEY_NAME.test(name);
    const isSecret = isKey || SECRET_NAME.test(name);
    const lines = value.split(/\r?\n/).map((line) => (line.includes(': ') ? line.slice(line.indexOf(': ') + 2) : line).trim());
    const parts = [value.trim(), ...lines].filter(
      (part) => (isSecret && isKeyLike(part)) || (isKey && part.length >= 8) || hasPassword(part),
    );
    return [...new Set(parts)];
  });
}

/** Variables of a `.env` file: `NAME=value`, quotes off (a quoted value may go over lines), everything else passed over. */
export function parseDotEnv(text: string): Record<string, string> {
  const found: Record<string, string> = {};
  const assignment = /^[ \t]*(?:export[ \t]+)?([A-Za-z_]\w*)[ \t]*=[ \t]*(?:"([^"]*)"|'([^']*)'|([^\s#]*))/gm;
  for (const [, name = '', double, single, bare] of text.matchAll(assignment)) found[name] = double ?? single ?? bare ?? '';
  return found;
}

/** Characters of a key by which it is known where a cap has cut the rest off. */
const KNOWN_BY = 16;

/** Makes a function that takes these values out of a text, longer ones first, and what a cut has left of their ends. */
export function createRedactor(values: readonly string[]): (text: string) => string {
  const sorted = [...new Set(values)].toSorted((one, other) => other.length - one.length);
  const long = sorted.filter((value) => value.length >= KNOWN_BY * 1.5 && !/[\s:]/.test(value));
  return (text) => {
    const whole = sorted.reduce((cleaned, value) => (cleaned.includes(value) ? cleaned.replaceAll(value, MARK) : cleaned), text);
    return long.reduce(withoutEnds, whole);
  };
}

const MARK = '[redacted]';

/** A beginning or an end of a value that is long enough to be no accident, as far as it goes on. */
function withoutEnds(text: string, value: string): string {
  const head = value.slice(0, KNOWN_BY);
  const tail = value.slice(-KNOWN_BY);
  let cleaned = text;
  for (let at = cleaned.indexOf(head); at !== -1; at = cleaned.indexOf(head, at)) {
    let length = KNOWN_BY;
    while (length < value.length && cleaned[at + length] === value[length]) length += 1;
    cleaned = cleaned.slice(0, at) + MARK + cleaned.slice(at + length);
  }
  for (let at = cleaned.indexOf(tail); at !== -1; at = cleaned.indexOf(tail, at)) {
    let length = KNOWN_BY;
    while (length < value.length && at > 0 && cleaned[at - 1] === value[value.length - length - 1]) {
      at -= 1;
      length += 1;
    }
    cleaned = cleaned.slice(0, at) + MARK + cleaned.slice(at + length);
  }
  return cleaned;
}

function isKeyLike(value: string): boolean {
  return value.length >= 16 && /\d/.test(value) && /[a-z]/i.test(value) && !/\s/.test(value);
}

function hasPassword(value: string): boolean {
  return /^[a-z][\w+.-]*:\/\/[^\s/:@]*:[^\s/@]+@/i.test(value);
}
