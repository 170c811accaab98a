import { UsageError } from '../errors.ts';

/** Most UTF-8 bytes of a slug: room for `story-`, an ending and a branch prefix within 255. */
export const SLUG_BYTES = 100;

const RESERVED = new Set(['con', 'prn', 'aux', 'nul', ...Array.from({ length: 10 }, (_, n) => [`com${n}`, `lpt${n}`]).flat()]);

/**
 * Turns a feature's name into its slug: any script, NFC, lower case, blanks to hyphens, one safe path segment.
 * @throws UsageError for a name that has no such form.
 */
export function toSlug(name: string): string {
  const slug = name.normalize('NFC').toLowerCase().normalize('NFC').trim().replace(/\s+/gu, '-');
  const fault = faultOf(slug);
  if (fault !== undefined) {
    throw new UsageError(`Unexpected feature name ${JSON.stringify(name)}: ${fault}.`, {
      hint: 'Use letters, digits and hyphens of any script, e.g. login or suche-nach-notizen.',
    });
  }
  return slug;
}

function faultOf(slug: string): string | undefined {
  if (slug === '') return 'it is empty';
  if (/\p{Cs}/u.test(slug)) return 'it holds half a character';
  if (/[/\\]/.test(slug)) return 'it must be one path segment, without slashes';
  if (/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(slug.replace(/\u200d/g, ''))) return 'it holds invisible characters';
  if (/[<>:"|?*~^[\]{}$&;`'!#%()=@,+]/.test(slug)) return 'it holds a character with a meaning to shells, git or file systems';
  if (/^[-.]/.test(slug) || slug.endsWith('.')) return 'it must not begin with a hyphen or a dot, nor end with a dot';
  if (slug.includes('..') || slug.endsWith('.lock')) return 'git cannot name a branch after it';
  if (RESERVED.has(slug.split('.')[0] ?? '')) return 'the name is reserved on some systems';
  const bytes = Buffer.byteLength(slug);
  if (bytes > SLUG_BYTES) return `it takes ${bytes} bytes, expected at most ${SLUG_BYTES}`;
  return undefined;
}
