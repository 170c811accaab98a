import * as z from 'zod';
import type { DocumentKind, DraftDocument, SubmissionKind } from '../model/artifact.ts';
import { readLabelledItems } from '../text/labelled.ts';
import { line, path } from '../text/text-types.ts';
import { listOf } from './fields.ts';
import { faultFinding } from './findings.ts';
import { withoutTicks } from './located.ts';
import { readArtifact } from './reading.ts';
import { leave, takeTitleSection, takeValues } from './taking.ts';

/** Most entries of a hand-off in all: with front matter and title the file stays below 30 lines. */
export const HAND_OFF_MAX = 21;

const note = line({ max: 300 });

const schema = z
  .strictObject({
    decisions: listOf(note, { max: 12 }).describe('Key decisions that the next role must know.'),
    files: listOf(path(), { max: 12 }).describe('Files to read first.'),
    openQuestions: listOf(note, { max: 12 }).describe('Questions that are still open.'),
    critical: listOf(note, { max: 12 }).describe('What goes wrong when it is overlooked.'),
  })
  .superRefine((value, context) => {
    const count = value.decisions.length + value.files.length + value.openQuestions.length + value.critical.length;
    if (count > HAND_OFF_MAX) {
      context.addIssue({ code: 'custom', message: `Unexpected ${count} entries in all, expected at most ${HAND_OFF_MAX}` });
    }
  })
  .describe(`A short note to the next role: at most ${HAND_OFF_MAX} entries in all.`);

/** The note a stage leaves to the next one. */
export type HandOff = z.output<typeof schema>;

export const handOffSchema = schema;

export const handOffKind: DocumentKind<HandOff> = {
  name: 'hand-off',
  schema,
  frontMatterKeys: [],
  parse: (text) =>
    readArtifact(text, handOffKind, (reading) => {
      const section = takeTitleSection(reading);
      if (!section)
        reading.findings.push(faultFinding('structure', { message: 'Unexpected text without a title, expected "# Hand-off".', line: 1 }));
      const items = readLabelledItems(reading.outline.source, section?.nodes ?? []);
      const groups = leave(reading, items, ['Decision', 'File', 'Open question', 'Critical']);
      return {
        decisions: takeValues(reading, groups.Decision),
        files: takeValues(reading, groups.File).map(withoutTicks),
        openQuestions: takeValues(reading, groups['Open question']),
        critical: takeValues(reading, groups.Critical),
      };
    }),
  sample: {
    decisions: ['Lock an account after five failed attempts, not after three.'],
    files: ['src/login.ts'],
    openQuestions: ['Does a locked account tell the person why?'],
    critical: ['The lock is counted per account, never per address.'],
  },
};

/** The hand-off that goes with another submission, as a document of the draft. */
export function handOffDocument(handOff: HandOff, stage: string): DraftDocument {
  return { kind: 'hand-off', fileName: `hand-off-${stage}.md`, data: handOff };
}

/** The hand-off among parsed documents, or undefined when there is none. */
export function findHandOff(documents: readonly { kind: string; data: unknown }[]): unknown {
  return documents.find((document) => document.kind === 'hand-off')?.data;
}

export const handOffSubmission: SubmissionKind<HandOff> = {
  kind: 'hand-off',
  tool: 'submit_hand_off',
  description: 'Hands in the work of a stage that leaves code behind: what the next role must know.',
  schema,
  draft: (input, context) => ({ ok: true, draft: { documents: [handOffDocument(input, context.stage)], files: [] } }),
  fromDocuments: (documents) => findHandOff(documents),
};
