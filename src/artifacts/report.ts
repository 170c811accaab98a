import * as z from 'zod';
import type { DocumentKind, SubmissionKind } from '../model/artifact.ts';
import { headingKey, type Section } from '../text/outline.ts';
import type { LabelledItem } from '../text/labelled.ts';
import { block, line, path } from '../text/text-types.ts';
import { bounded, listOf } from './fields.ts';
import { findHandOff, handOffDocument, handOffSchema } from './hand-off.ts';
import { at, withoutTicks } from './located.ts';
import { type Reading, readArtifact } from './reading.ts';
import { takeBlock, takeItems, takeNested, takeOnly, takeTitle, takeValue } from './taking.ts';

const shape = {
  title: line({ max: 200 }),
  findings: listOf(
    z.strictObject({
      severity: z.enum(['info', 'warning', 'blocker']),
      text: line(),
      file: path().optional(),
    }),
    { max: 200 },
  ),
  sections: listOf(z.strictObject({ heading: line({ max: 200 }), body: block() }), { max: 40 }),
};

const schema = bounded(z.strictObject(shape));
const submissionSchema = bounded(z.strictObject({ ...shape, handOff: handOffSchema }));

export type Report = z.output<typeof schema>;

/** What stages that are made by files alone hand in. Every section of the file but the findings is a section of its data. */
export const reportKind: DocumentKind<Report> = {
  name: 'report',
  schema,
  frontMatterKeys: [],
  parse: (text) => readArtifact(text, reportKind, pick),
  sample: {
    title: 'Review of the login',
    findings: [
      { severity: 'blocker', text: 'The lock can be passed with a second session.', file: 'src/lock.ts' },
      { severity: 'info', text: 'The counter is easy to read.' },
    ],
    sections: [{ heading: 'What was read', body: 'The module and its tests.\n\n- `src/lock.ts`' }],
  },
};

export const reportSubmission: SubmissionKind<z.output<typeof submissionSchema>> = {
  kind: 'report',
  tool: 'submit_report',
  description: 'Hands in a report: a title, findings by severity, and sections of free text.',
  schema: submissionSchema,
  draft({ handOff, ...data }, { stage }) {
    const document = { kind: 'report', fileName: `report-${stage}.md`, data } as const;
    return { ok: true, draft: { documents: [document, handOffDocument(handOff, stage)], files: [] } };
  },
  fromDocuments(documents) {
    const report = documents.find((document) => document.kind === 'report')?.data;
    return { ...(report as object | undefined), handOff: findHandOff(documents) };
  },
};

function pick(reading: Reading): unknown {
  const title = takeTitle(reading, 'Report');
  const others = reading.outline.sections.filter((section) => section.depth <= 2 && !reading.taken.has(section));
  // Only the first one: a report may have a section of its own with this name.
  const fixed = others.find((section) => headingKey(section.heading) === 'findings');
  for (const section of others) reading.taken.add(section);
  const groups = takeItems(reading, fixed, ['Info', 'Warning', 'Blocker']);
  const inOrder = Object.values(groups)
    .flat()
    .toSorted((a, b) => a.line - b.line);
  return {
    title,
    findings: inOrder.map((item) => pickFinding(reading, item)),
    sections: others.filter((section) => section !== fixed).map(pickSection),
  };
}

function pickFinding(reading: Reading, item: LabelledItem): unknown {
  const { File } = takeNested(reading, item, ['File']);
  const file = takeOnly(reading, File);
  return {
    severity: item.label.toLowerCase(),
    text: takeValue(reading, { ...item, items: [] }),
    file: file && withoutTicks(file),
  };
}

function pickSection(section: Section): unknown {
  return at(section.line, { heading: section.heading, body: takeBlock(section) });
}
