/** Columns a text takes in a terminal: wide characters of East Asian scripts and emoji take two, marks none. */
export function displayWidth(text: string): number {
  let width = 0;
  // Clusters, since several code points may be one picture: a family, a flag, a letter with its accents.
  for (const { segment } of CLUSTERS.segment(text)) width += clusterWidth(segment);
  return width;
}

/** Fills a text with blanks up to a width; a wider text stays as it is. */
export function padTo(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - displayWidth(text)));
}

/** A text of at most so many columns; one that is cut ends with an ellipsis. */
export function cutTo(text: string, width: number): string {
  let kept = '';
  let used = 0;
  for (const { segment } of CLUSTERS.segment(text)) {
    const wide = clusterWidth(segment);
    if (used + wide > width) return width < 1 ? '' : `${dropColumn(kept, used, width)}…`;
    kept += segment;
    used += wide;
  }
  return text;
}

/** Makes room for the ellipsis, where there is none left. */
function dropColumn(kept: string, used: number, width: number): string {
  const clusters = [...CLUSTERS.segment(kept)].map(({ segment }) => segment);
  for (let left = used; left > width - 1; left -= clusterWidth(clusters.pop() ?? ' '));
  return clusters.join('').trimEnd();
}

const CLUSTERS = new Intl.Segmenter('en', { granularity: 'grapheme' });

const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1b000}-\u{1b2ff}\u{20000}-\u{3fffd}]/u;

function clusterWidth(cluster: string): number {
  if (/^[\p{Mn}\p{Me}\p{Cf}\p{Cc}]+$/u.test(cluster)) return 0;
  if (/\p{Emoji_Presentation}/u.test(cluster) || (cluster.includes('\ufe0f') && /\p{Emoji}/u.test(cluster))) return 2;
  return WIDE.test(cluster) ? 2 : 1;
}
