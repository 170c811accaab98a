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
      (part) => (isSecret && isKeyLike(part)) || (isKey && mayBeKey(part)) || hasPassword(part),
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

/**
 * A beginning of a value right before a cut, or an end of it right behind one: at the borders of the text and beside the
 * note that tells of a cut. Elsewhere the same characters are somebody else's: many keys begin alike.
 */
function withoutEnds(text: string, value: string): string {
  let cleaned = text;
  for (let at = cleaned.indexOf(value.slice(0, KNOWN_BY)); at !== -1; at = cleaned.indexOf(value.slice(0, KNOWN_BY), at + 1)) {
    let end = at + KNOWN_BY;
    while (cleaned[end] === value[end - at] && end - at < value.length) end += 1;
    if (/^\s*(?:$|\[\.\.\.)/.test(cleaned.slice(end, end + 40))) cleaned = cleaned.slice(0, at) + MARK + cleaned.slice(end);
  }
  for (let at = cleaned.indexOf(value.slice(-KNOWN_BY)); at !== -1; at = cleaned.indexOf(value.slice(-KNOWN_BY), at + 1)) {
    const end = at + KNOWN_BY;
    let start = at;
    while (start > 0 && end - start < value.length && cleaned[start - 1] === value[value.length - (end - start) - 1]) start -= 1;
    if (/(?:^|\.\.\.\]|…)\s*$/.test(cleaned.slice(Math.max(0, start - 40), start)))
      cleaned = cleaned.slice(0, start) + MARK + cleaned.slice(end);
  }
  return cleaned;
}

function isKeyLike(value: string): boolean {
  return value.length >= 16 && /\d/.test(value) && /[a-z]/i.test(value) && !/\s/.test(value) && !isPath(value);
}

/** Where a key is sure to be, a short one counts; `lm-studio` and other words that servers of one's own take do not. */
function mayBeKey(value: string): boolean {
  return (value.length >= 8 && /\d/.test(value) && /[a-z]/i.test(value)) || (value.length >= 24 && !isPath(value));
}

/** `…_CREDENTIALS` is as often the place of a key as the key itself. */
function isPath(value: string): boolean {
  return /^(?:[A-Za-z]:[\\/]|[~.]{0,2}\/)/.test(value);
}

function hasPassword(value: string): boolean {
  return /^[a-z][\w+.-]*:\/\/[^\s/:@]*:[^\s/@]+@/i.test(value);
}
