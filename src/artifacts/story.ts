import type { DocumentKind } from '../model/artifact.ts';
import { canonicalLine } from '../text/text-types.ts';
import { findMissedCriteria, takeCriteria } from './criteria.ts';
import { allocateStoryId } from './ids.ts';
import { type Reading, readArtifact } from './reading.ts';
import { type Story, storySchema } from './story-schema.ts';
import { takeBlock, takeItems, takeOnly, takeSection, takeTitle, takeValues } from './taking.ts';

export type { Story } from './story-schema.ts';
export { storySubmission } from './story-submission.ts';

export const storyKind: DocumentKind<Story> = {
  name: 'story',
  schema: storySchema,
  frontMatterKeys: ['id', 'retired'],
  parse: (text) => readArtifact(text, storyKind, pick),
  sample: {
    id: 'story-locked-out',
    title: 'Locked out',
    asA: 'visitor',
    iWant: 'my account to be locked after failed attempts',
    soThat: 'nobody guesses my password',
    context: 'Covers the lock only.\n\n| attempts | state |\n| --- | --- |\n| 5 | locked |',
    criteria: [
      {
        id: 'AC-1',
        title: 'The fifth failure locks',
        given: ['an account with four failures', 'no login since'],
        when: ['a wrong password is entered'],
        then: ['the account is locked', 'the visitor is told so'],
      },
    ],
    outOfScope: ['Unlocking'],
    retired: ['AC-2'],
  },
};

function pick(reading: Reading): unknown {
  const title = takeTitle(reading, 'Story');
  const criteria = takeCriteria(reading);
  const lead = takeItems(reading, takeSection(reading, 'Story', 'User story'), ['As a', 'As an', 'I want', 'So that']);
  const context = takeSection(reading, 'Context and scope', 'Context');
  // Nothing of its own: the criteria below it are found by their ids.
  takeItems(reading, takeSection(reading, 'Acceptance criteria'), []);
  reading.findings.push(...findMissedCriteria(reading, context));
  return {
    id: reading.frontMatter['id'] ?? idFromTitle(reading, title?.value),
    retired: reading.frontMatter['retired'] ?? undefined,
    title,
    asA: takeOnly(reading, [...lead['As a'], ...lead['As an']]),
    iWant: takeOnly(reading, lead['I want']),
    soThat: takeOnly(reading, lead['So that']),
    context: takeBlock(context),
    criteria,
    outOfScope: takeValues(reading, takeItems(reading, takeSection(reading, 'Out of scope'), ['Out']).Out),
  };
}

/** A story that a role wrote as Markdown has no id yet; it gets the one that its title leads to. */
function idFromTitle(reading: Reading, title: unknown): string | undefined {
  if (typeof title !== 'string' || canonicalLine(title) === '') return undefined;
  const id = allocateStoryId(canonicalLine(title), new Set());
  const message = `Unexpected front matter without "id", expected one; "${id}" is taken from the title.`;
  reading.findings.push({ rule: 'front-matter', severity: 'warning', message, line: 1, column: 1, field: 'id' });
  return id;
}
