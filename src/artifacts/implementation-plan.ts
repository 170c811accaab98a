import * as z from 'zod';
import type { DocumentKind, SubmissionKind } from '../model/artifact.ts';
import type { LabelledItem } from '../text/labelled.ts';
import { block, line, path } from '../text/text-types.ts';
import { bounded, distinct, filledListOf, lines, listOf } from './fields.ts';
import { findHandOff, handOffDocument, handOffSchema } from './hand-off.ts';
import { withoutTicks } from './located.ts';
import { type Reading, readArtifact } from './reading.ts';
import { passTitle, takeBlock, takeItems, takeNested, takeOnly, takeSection, takeValue, takeValues } from './taking.ts';

const shape = {
  summary: block().describe('What will be built and how, in a few paragraphs.'),
  files: listOf(
    z.strictObject({
      action: z.enum(['create', 'change', 'delete']),
      path: path(),
      purpose: line().describe('Why this file.'),
    }),
    { max: 200 },
  ).superRefine(distinct((file) => file.path)),
  steps: filledListOf(line()).describe('Ordered; each leaves the project working.'),
  risks: lines(),
};

const schema = bounded(z.strictObject(shape));
const submissionSchema = bounded(z.strictObject({ ...shape, handOff: handOffSchema }));

export type ImplementationPlan = z.output<typeof schema>;

export const implementationPlanKind: DocumentKind<ImplementationPlan> = {
  name: 'implementation-plan',
  schema,
  frontMatterKeys: [],
  parse: (text) => readArtifact(text, implementationPlanKind, pick),
  sample: {
    summary: 'Count failed attempts per account and refuse the sixth.\n\n- no new table\n- one new module',
    files: [
      { action: 'create', path: 'src/lock.ts', purpose: 'Counts failed attempts.' },
      { action: 'change', path: 'src/login.ts', purpose: 'Asks the lock first.' },
      { action: 'delete', path: 'src/old-lock.ts', purpose: 'Replaced by the new one.' },
    ],
    steps: ['Write the counter.', 'Ask it in the login.'],
    risks: ['Two logins at the same moment count as one.'],
  },
};

export const implementationPlanSubmission: SubmissionKind<z.output<typeof submissionSchema>> = {
  kind: 'implementation-plan',
  tool: 'submit_implementation_plan',
  description: 'Hands in the implementation plan: summary, files with purpose, ordered steps, risks.',
  schema: submissionSchema,
  draft({ handOff, ...data }, { stage }) {
    const document = { kind: 'implementation-plan', fileName: 'IMPLEMENTATION_PLAN.md', data } as const;
    return { ok: true, draft: { documents: [document, handOffDocument(handOff, stage)], files: [] } };
  },
  fromDocuments(documents) {
    const plan = documents.find((document) => document.kind === 'implementation-plan')?.data;
    return { ...(plan as object | undefined), handOff: findHandOff(documents) };
  },
};

function pick(reading: Reading): unknown {
  passTitle(reading);
  const files = takeItems(reading, takeSection(reading, 'Files'), ['Create', 'Change', 'Delete']);
  const inOrder = Object.values(files)
    .flat()
    .toSorted((a, b) => a.line - b.line);
  return {
    summary: takeBlock(takeSection(reading, 'Summary')),
    files: inOrder.map((item) => pickFile(reading, item)),
    steps: takeValues(reading, takeItems(reading, takeSection(reading, 'Steps'), ['Step']).Step),
    risks: takeValues(reading, takeItems(reading, takeSection(reading, 'Risks'), ['Risk']).Risk),
  };
}

function pickFile(reading: Reading, item: LabelledItem): unknown {
  const { Purpose } = takeNested(reading, item, ['Purpose']);
  return {
    action: item.label.toLowerCase(),
    path: withoutTicks(takeValue(reading, { ...item, items: [] })),
    purpose: takeOnly(reading, Purpose),
  };
}
