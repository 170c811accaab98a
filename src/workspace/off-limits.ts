import type { Border } from '../model/ports.ts';

type Intent = Parameters<Border['resolve']>[1];

/** Why a path (from the project root, forward slashes) is closed to every role, in words for a model; or `undefined`. */
export function whyOffLimits(path: string, intent: Intent): string | undefined {
  const names = path.split('/').map(foldName);
  if (names.includes('.git')) return "git's own data is off limits";
  if (names[0] === '.blueprint' && names[1] !== undefined) {
    if (CLOSED_FOLDERS.has(names[1])) return `.blueprint/${names[1]} belongs to the program and is off limits`;
    if (names[1] === 'features' && intent === 'write') return 'artifacts are handed in with a submit tool, not written';
  }
  if (names.some((name) => SECRET_FOLDERS.has(name)) || names.some(isSecretFile)) return 'it may hold secrets';
  return undefined;
}

const CLOSED_FOLDERS = new Set(['runs', 'locks']);
const SECRET_FOLDERS = new Set(['.aws', '.ssh']);
const SECRET_FILES = [/^\.env$/, /^\.env\./, /\.pem$/, /\.key$/, /^id_rsa/, /^id_ed25519/, /^\.npmrc$/, /^\.netrc$/];
const HARMLESS_ENDINGS = /\.(example|sample|template)$/;

function isSecretFile(name: string): boolean {
  if (name.startsWith('.env.') && HARMLESS_ENDINGS.test(name)) return false;
  return SECRET_FILES.some((pattern) => pattern.test(name));
}

/**
 * The name as the most forgiving file system would see it: without regard to case (macOS, Windows), without invisible
 * characters (HFS+ ignores them, so `.g<U+200C>it` opens `.git`), without trailing dots and spaces (Windows).
 */
function foldName(name: string): string {
  return name
    .normalize('NFKC')
    .replace(/[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g, '')
    .toLowerCase()
    .replace(/(?<=.)[. ]+$/, '');
}
