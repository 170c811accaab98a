import { Buffer } from 'node:buffer';
import * as z from 'zod';
import { line } from '../text/text-types.ts';

/** Most entries of a list where a kind sets no other bound. */
const LIST_MAX = 60;

/** Most bytes of a document's data as JSON: rendered it stays well below what the Markdown parser takes. */
const DATA_LIMIT = 256 * 1024;

/** A list that may be left out or empty. */
export function listOf<Item extends z.ZodType>(item: Item, options: { max?: number } = {}) {
  return z
    .array(item)
    .max(options.max ?? LIST_MAX)
    .default([]);
}

/** A list with at least one entry. */
export function filledListOf<Item extends z.ZodType>(item: Item, options: { max?: number } = {}) {
  return z
    .array(item)
    .min(1)
    .max(options.max ?? LIST_MAX);
}

/** Lines that may be left out. */
export function lines() {
  return listOf(line());
}

/** Adds the bound on the whole document to its schema. */
export function bounded<Schema extends z.ZodType>(schema: Schema) {
  return schema.superRefine((value, context) => {
    const bytes = Buffer.byteLength(JSON.stringify(value));
    if (bytes > DATA_LIMIT) {
      context.addIssue({ code: 'custom', message: `Unexpected ${bytes} bytes of text in all, expected at most ${DATA_LIMIT}` });
    }
  });
}

/** Refuses a list in which two entries share a key. */
export function distinct<Item>(key: (item: Item) => string) {
  return (items: Item[], context: z.RefinementCtx): void => {
    const seen = new Set<string>();
    for (const [index, item] of items.entries()) {
      const value = key(item);
      if (seen.has(value)) {
        context.addIssue({ code: 'custom', path: [index], message: `Unexpected second "${value}", expected it once` });
      }
      seen.add(value);
    }
  };
}
