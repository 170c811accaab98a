/** Names of variables that hold keys, whatever they look like; and of those that hold one if it looks like one. */
const KEY_NAME = /_(?:API_KEY|AUTH_TOKEN)$/i;
const SECRET_NAME = /(?:TOKEN|SECRET|KEY|PASSWORD|PASSWD|CREDENTIALS?)$/i;

/**
 * Values that must not be stored, sent or shown: of variables named like keys, if they look like one, and addresses with
 * a password in them. Short or plain words are left: a password `postgres` is also a word of the code.
 */
export function secretValues(variables: Record<string, string | undefined>): string[] {
  return Object.entries(variables).flatMap(([name, value = '']) => {
    const isSecret = (KEY_NAME.test(name) && value.length >= 8) || (SECRET_NAME.test(name) && isKeyLike(value)) || hasPassword(value);
    return isSecret ? [value] : [];
  });
}

/** Variables of a `.env` file: `NAME=value` lines, quotes off, comments and everything else passed over. */
export function parseDotEnv(text: string): Record<string, string> {
  const found: Record<string, string> = {};
  for (const line of text.split(/\r?\n/)) {
    const match = /^\s*(?:export\s+)?([A-Za-z_]\w*)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s#]*))/.exec(line);
    if (match?.[1] !== undefined) found[match[1]] = match[2] ?? match[3] ?? match[4] ?? '';
  }
  return found;
}

/** Makes a function that takes these values out of a text; longer ones first, since one may hold another. */
export function createRedactor(values: readonly string[]): (text: string) => string {
  const sorted = [...new Set(values)].toSorted((one, other) => other.length - one.length);
  return (text) => sorted.reduce((cleaned, value) => (cleaned.includes(value) ? cleaned.replaceAll(value, '[redacted]') : cleaned), text);
}

function isKeyLike(value: string): boolean {
  return value.length >= 16 && /\d/.test(value) && /[a-z]/i.test(value) && !/\s/.test(value);
}

function hasPassword(value: string): boolean {
  return /^[a-z][\w+.-]*:\/\/[^\s/:@]*:[^\s/@]+@/i.test(value);
}
