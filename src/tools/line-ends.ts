/** A text with LF only, and the way back from a place in it to the place in the text it was made of. */
export interface PlainText {
  text: string;
  /** Index in the original; the line end at an index begins with its first CR. */
  originalIndex(index: number): number;
}

/** Takes the CRs off the line ends of a text. A file of a double conversion has two of them per line. */
export function withPlainLineEnds(original: string): PlainText {
  const lineEnds: { at: number; removedBefore: number }[] = [];
  let removed = 0;
  const text = original.replace(/\r*\n/g, (lineEnd, index: number) => {
    if (lineEnd.length > 1) {
      lineEnds.push({ at: index - removed, removedBefore: removed + lineEnd.length - 1 });
      removed += lineEnd.length - 1;
    }
    return '\n';
  });
  return {
    text,
    originalIndex(index) {
      // The last line end that lies wholly before the index, by halving.
      let low = 0;
      let high = lineEnds.length;
      while (low < high) {
        const middle = (low + high) >> 1;
        if ((lineEnds[middle]?.at ?? 0) < index) low = middle + 1;
        else high = middle;
      }
      return index + (lineEnds[low - 1]?.removedBefore ?? 0);
    },
  };
}

/** A text with the line ends that another one uses first, or LF. */
export function withLineEndsOf(text: string, ...examples: string[]): string {
  const lineEnd = examples.map((example) => /\r*\n/.exec(example)?.[0]).find((found) => found !== undefined) ?? '\n';
  return text.replace(/\r*\n/g, () => lineEnd);
}
