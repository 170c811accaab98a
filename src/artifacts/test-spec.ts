import * as z from 'zod';
import type { DocumentKind, SubmissionKind } from '../model/artifact.ts';
import type { LabelledItem } from '../text/labelled.ts';
import { wellFormed } from '../text/lines.ts';
import { block, line, path } from '../text/text-types.ts';
import { bounded, distinct, filledListOf, lines, listOf } from './fields.ts';
import { checkValue } from './findings.ts';
import { findHandOff, handOffDocument, handOffSchema } from './hand-off.ts';
import { carriesId, parseQualifiedId, qualifiedId } from './ids.ts';
import { withoutTicks } from './located.ts';
import { type Reading, readArtifact } from './reading.ts';
import { passTitle, takeBlock, takeItems, takeNested, takeOnly, takeSection, takeValue, takeValues } from './taking.ts';

/** A name of a module's export, shown as code. */
const symbol = line({ max: 200 }).refine((text) => !text.includes('`'), { error: 'Unexpected backtick in a name, expected the bare name' });

const criterion = z
  .string()
  .overwrite(canonicalCriterion)
  .refine((text) => parseQualifiedId(text) !== undefined, {
    error: (issue) => `Unexpected criterion "${String(issue.input)}", expected a qualified id such as story-login:AC-1`,
  })
  .describe('Qualified id, e.g. story-login:AC-1.');

const shape = {
  understanding: block().describe('What the criteria ask for, in your own words.'),
  tests: filledListOf(
    z.strictObject({
      criterion,
      title: line({ max: 400 }).describe('Full title of the test; holds the qualified id of its criterion.'),
      file: path(),
    }),
    { max: 400 },
  ),
  creates: listOf(z.strictObject({ path: path(), symbols: listOf(symbol) }), { max: 100 })
    .superRefine(distinct((module) => module.path))
    .describe('Modules, and names they export, that the tests use and that do not exist yet.'),
  assumptions: lines(),
};

const schema = bounded(
  z
    .strictObject({ ...shape, files: filledListOf(path(), { max: 100 }).superRefine(distinct((file) => file)) })
    .superRefine((value, context) => {
      for (const [index, test] of value.tests.entries()) {
        if (!carriesId(test.title, test.criterion)) {
          const message = `Unexpected title "${test.title}", expected it to hold ${test.criterion}`;
          context.addIssue({ code: 'custom', path: ['tests', index, 'title'], message });
        }
        if (!value.files.includes(test.file)) {
          const message = `Unexpected file "${test.file}", expected one of ${value.files.join(', ')}`;
          context.addIssue({ code: 'custom', path: ['tests', index, 'file'], message });
        }
      }
    }),
);

const submissionSchema = z.strictObject({
  ...shape,
  files: filledListOf(
    z.strictObject({
      path: path(),
      content: z
        .string()
        .overwrite(wellFormed)
        .max(256 * 1024)
        .describe('The whole file, exactly.'),
    }),
    { max: 100 },
  ).describe('The test files.'),
  handOff: handOffSchema,
});

export type TestSpec = z.output<typeof schema>;

export const testSpecKind: DocumentKind<TestSpec> = {
  name: 'test-spec',
  schema,
  frontMatterKeys: [],
  parse: (text) => readArtifact(text, testSpecKind, pick),
  sample: {
    understanding: 'An account is locked after five failed attempts.\n\nNothing is said about its end.',
    tests: [{ criterion: 'story-login:AC-1', title: 'story-login:AC-1 refuses the sixth attempt', file: 'test/login.test.js' }],
    creates: [{ path: 'src/lock.js', symbols: ['createLock', 'LOCK_AFTER'] }],
    files: ['test/login.test.js'],
    assumptions: ['Attempts are counted per account.'],
  },
};

export const testSpecSubmission: SubmissionKind<z.output<typeof submissionSchema>> = {
  kind: 'test-spec',
  tool: 'submit_test_spec',
  description: 'Hands in the test specification and the test files. Every test carries the qualified id of its criterion in its title.',
  schema: submissionSchema,
  draft({ handOff, files, ...rest }, { stage }) {
    const checked = checkValue(schema, { ...rest, files: files.map((file) => file.path) });
    if (!checked.ok) return checked;
    const document = { kind: 'test-spec', fileName: 'test-spec.md', data: checked.data } as const;
    return { ok: true, draft: { documents: [document, handOffDocument(handOff, stage)], files } };
  },
  fromDocuments(documents, files) {
    const spec = documents.find((document) => document.kind === 'test-spec')?.data;
    return { ...(spec as object | undefined), files, handOff: findHandOff(documents) };
  },
};

function canonicalCriterion(text: string): string {
  const id = parseQualifiedId(text);
  return id ? qualifiedId(id.story, id.criterion) : text.trim();
}

function pick(reading: Reading): unknown {
  passTitle(reading);
  const tests = takeItems(reading, takeSection(reading, 'Tests'), ['Test']).Test;
  const creates = takeItems(reading, takeSection(reading, 'Creates'), ['Module']).Module;
  return {
    understanding: takeBlock(takeSection(reading, 'Understanding')),
    tests: tests.map((item) => pickTest(reading, item)),
    creates: creates.map((item) => pickModule(reading, item)),
    files: takeValues(reading, takeItems(reading, takeSection(reading, 'Files'), ['File']).File).map(withoutTicks),
    assumptions: takeValues(reading, takeItems(reading, takeSection(reading, 'Assumptions'), ['Assumption']).Assumption),
  };
}

function pickTest(reading: Reading, item: LabelledItem): unknown {
  const { Criterion, File } = takeNested(reading, item, ['Criterion', 'File']);
  const file = takeOnly(reading, File);
  return {
    criterion: takeOnly(reading, Criterion),
    title: takeValue(reading, { ...item, items: [] }),
    file: file && withoutTicks(file),
  };
}

function pickModule(reading: Reading, item: LabelledItem): unknown {
  const { Symbol: symbols } = takeNested(reading, item, ['Symbol']);
  return {
    path: withoutTicks(takeValue(reading, { ...item, items: [] })),
    symbols: takeValues(reading, symbols).map(withoutTicks),
  };
}
