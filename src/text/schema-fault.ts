import { isMap, isNode, isScalar, type Document } from 'yaml';
import type * as z from 'zod';

/** Values a schema would have taken in place of the wrong one, for "did you mean". */
export function candidatesOf(issue: z.core.$ZodIssue): string[] {
  if (issue.code === 'invalid_value') return issue.values.map(String);
  const candidates: unknown = issue.code === 'custom' ? issue.params?.['candidates'] : undefined;
  return Array.isArray(candidates) ? candidates.map(String) : [];
}

/** Offset of a key or value in a YAML document; of the nearest thing around it when it is not there. */
export function offsetOf(document: Document, path: readonly PropertyKey[], key?: string): number {
  for (let length = path.length; length >= 0; length -= 1) {
    const node = document.getIn(path.slice(0, length), true);
    if (!isNode(node) || !node.range) continue;
    const pair =
      key !== undefined && isMap(node) ? node.items.find((item) => isScalar(item.key) && String(item.key.value) === key) : undefined;
    return (isNode(pair?.key) ? pair.key.range?.[0] : undefined) ?? node.range[0];
  }
  return 0;
}
