/**
 * 1-based lines of the marks that a failed merge left behind. Only whole sets count (ours, divider, theirs, in this
 * order): a line of equals signs alone is a heading.
 */
export function findConflictMarkers(text: string): number[] {
  const found: number[] = [];
  let set: number[] = [];
  let awaited: 'start' | 'divider' | 'end' = 'start';
  for (const [index, line] of text.split(/\r*\n|\r/).entries()) {
    if (/^<{7}(?: |$)/.test(line)) {
      set = [index + 1];
      awaited = 'divider';
    } else if (awaited === 'divider' && /^\|{7}(?: |$)/.test(line)) {
      set.push(index + 1);
    } else if (awaited === 'divider' && /^={7}$/.test(line)) {
      set.push(index + 1);
      awaited = 'end';
    } else if (awaited === 'end' && /^>{7}(?: |$)/.test(line)) {
      found.push(...set, index + 1);
      awaited = 'start';
    }
  }
  return found;
}
