import type { DocumentKind, SubmissionKind } from '../model/artifact.ts';
import { pickFeatureSpec } from './feature-spec-reading.ts';
import { type FeatureSpec, type FeatureSpecSubmission, featureSpecSchema, featureSpecSubmissionSchema } from './feature-spec-schema.ts';
import { checkValue } from './findings.ts';
import { findHandOff, handOffDocument } from './hand-off.ts';
import { allocateIds, recogniseIds } from './ids.ts';
import { readArtifact } from './reading.ts';

export type { FeatureSpec } from './feature-spec-schema.ts';

/** File name of the feature specification. */
export const FEATURE_SPEC_FILE = 'FEATURE_SPEC.md';

export const featureSpecKind: DocumentKind<FeatureSpec> = {
  name: 'feature-spec',
  schema: featureSpecSchema,
  frontMatterKeys: ['retired'],
  parse: (text) => readArtifact(text, featureSpecKind, pickFeatureSpec),
  sample: {
    title: 'Login with a lock',
    intent: 'Guessing a password must not pay.\n\n- people stay in\n- guessers stay out',
    scope: { in: ['Lock an account after failed attempts'], out: ['Second factors'] },
    actors: [{ name: 'Visitor', can: ['log in'], cannot: ['unlock an account'] }],
    behaviour: {
      happyPath: ['The visitor enters name and password.', 'The visitor is let in.'],
      alternatives: [{ name: 'Wrong password', steps: ['The attempt is counted.', 'The visitor is told so.'] }],
    },
    state: {
      creating: ['An account starts unlocked.'],
      transitioning: ['The fifth failure locks it.'],
      constraining: ['A locked account lets nobody in.'],
    },
    rules: [
      {
        id: 'R-1',
        statement: 'Five failures lock an account.',
        inputs: 'Failed attempts',
        outputs: 'Locked or not',
        decision: 'deterministic',
      },
      { id: 'R-2', statement: 'Support may unlock.', inputs: 'A request', outputs: 'Unlocked or not', decision: 'discretionary' },
    ],
    dependencies: ['The account store'],
    nonFunctional: ['A login takes less than a second.'],
    assumptions: [{ id: 'A-1', text: 'Attempts are counted per account.' }],
    questions: [
      { id: 'Q-1', text: 'Does a lock end by itself?', blocking: true },
      { id: 'Q-2', text: 'Who is told of a lock?', blocking: false },
    ],
    systemSpecImpact: {
      reinforces: ['Accounts belong to people.'],
      stretches: ['Accounts have states now.'],
      contradicts: [{ tension: 'The system says that nobody is ever shut out.', proposal: 'Except after failed attempts.' }],
    },
    handOver: { themes: ['Locking'], boundaries: ['No unlocking by the visitor'], framing: ['Safety for the visitor'] },
    changeLog: ['First version'],
    retired: ['R-3', 'Q-4'],
  },
};

/** What rules, assumptions and questions are told apart by. */
interface Entry {
  id?: string | undefined;
  text?: string;
  statement?: string;
}

export const featureSpecSubmission: SubmissionKind<FeatureSpecSubmission> = {
  kind: 'feature-spec',
  tool: 'submit_feature_spec',
  description: 'Hands in the feature specification. Ids are given by the program; repeat the id of an entry that exists already.',
  schema: featureSpecSubmissionSchema,
  draft({ handOff, ...input }, { stage, existing }) {
    const before = existing[FEATURE_SPEC_FILE]?.data as FeatureSpec | undefined;
    const allocate = <Item extends Entry>(prefix: 'R' | 'A' | 'Q', field: 'rules' | 'assumptions' | 'questions', items: Item[]) => {
      const known: (Entry & { id: string })[] = before?.[field] ?? [];
      const recognised = recogniseIds(items, known, ({ text, statement }) => text ?? statement ?? '');
      return allocateIds(prefix, recognised, { known: known.map(({ id }) => id), retired: before?.retired ?? [] }, field);
    };
    const rules = allocate('R', 'rules', input.rules);
    const assumptions = allocate('A', 'assumptions', input.assumptions);
    const questions = allocate('Q', 'questions', input.questions);
    const findings = [rules, assumptions, questions].flatMap((allocation) => allocation.findings);
    if (findings.length > 0) return { ok: false, findings };
    const retired = [rules, assumptions, questions].flatMap((allocation) => allocation.retired);
    const data = { ...input, rules: rules.items, assumptions: assumptions.items, questions: questions.items, retired };
    const checked = checkValue(featureSpecSchema, data);
    if (!checked.ok) return checked;
    const document = { kind: 'feature-spec', fileName: FEATURE_SPEC_FILE, data: checked.data } as const;
    return { ok: true, draft: { documents: [document, handOffDocument(handOff, stage)], files: [] } };
  },
  fromDocuments(documents) {
    const spec = documents.find((document) => document.kind === 'feature-spec')?.data as FeatureSpec | undefined;
    const { retired: _, ...input } = spec ?? { retired: [] };
    return { ...input, handOff: findHandOff(documents) };
  },
};
