import type * as z from 'zod';
import type { Finding } from './failure.ts';

export const KIND_NAMES = ['feature-spec', 'story', 'test-spec', 'implementation-plan', 'hand-off', 'report'] as const;
export type KindName = (typeof KIND_NAMES)[number];

/** Text that a parser met and no field of the schema could take. */
export interface Unplaced {
  /** 1-based line in the parsed text. */
  line: number;
  text: string;
}

export type Parsed<Data> =
  { ok: true; data: Data; unplaced: Unplaced[]; findings: Finding[] } | { ok: false; findings: Finding[]; unplaced: Unplaced[] };

/**
 * A typed Markdown file. For every value `v` that `schema` accepts, `parse(render(v))` gives `v` back; `schema` turns
 * its input into the canonical form first.
 */
export interface DocumentKind<Data = unknown> {
  name: KindName;
  schema: z.ZodType<Data>;
  /** Keys of `Data` that live in the front matter, everything else is in the body. */
  frontMatterKeys: readonly string[];
  /** Reads a whole file, front matter included. Never throws for bad text: it reports findings with line and column. */
  parse(text: string): Parsed<Data>;
  /** A small value with every field filled, to try templates on. */
  sample: Data;
}

/** A document before it has a place on disk. */
export interface DraftDocument {
  kind: KindName;
  /** File name within the feature's folder. */
  fileName: string;
  data: unknown;
}

/** What a submission amounts to: documents for the feature's folder and files for the project. */
export interface Draft {
  documents: DraftDocument[];
  /** Paths from the project root. */
  files: { path: string; content: string }[];
}

export interface DraftContext {
  feature: string;
  stage: string;
  /** Documents of this stage that are on disk now and still parse, by file name: ids are kept and never re-used. */
  existing: Record<string, { kind: KindName; data: unknown }>;
}

/** How a role hands in a kind: the tool's input schema, and how that input becomes a draft. */
export interface SubmissionKind<Input = unknown> {
  kind: KindName;
  /** e.g. `submit_feature_spec`. */
  tool: string;
  description: string;
  schema: z.ZodType<Input>;
  draft(input: Input, context: DraftContext): { ok: true; draft: Draft } | { ok: false; findings: Finding[] };
  /** Turns parsed Markdown documents (as a harness writes them) into the same input. */
  fromDocuments(documents: { kind: KindName; data: unknown }[], files: { path: string; content: string }[]): unknown;
}
