import type { DraftContext, DraftDocument, SubmissionKind } from '../model/artifact.ts';
import type { Finding } from '../model/failure.ts';
import { checkValue } from './findings.ts';
import { findHandOff, handOffDocument } from './hand-off.ts';
import { allocateIds, allocateStoryId, canonicalStoryId, recogniseIds } from './ids.ts';
import { type Story, type StorySubmission, storySchema, storySubmissionSchema } from './story-schema.ts';

export const storySubmission: SubmissionKind<StorySubmission> = {
  kind: 'story',
  tool: 'submit_story',
  description:
    'Hands in all user stories of the feature at once. Ids are given by the program; repeat the id of a story or criterion that exists already.',
  schema: storySubmissionSchema,
  draft({ stories: submitted, handOff }, context) {
    const known = knownStories(context);
    const stories = recogniseIds(
      submitted,
      [...known.values()].map(({ story }) => story),
      ({ title }) => title,
      canonicalStoryId,
    );
    const ids = storyIds(stories, known);
    const findings = [...ids.findings];
    const documents = stories.map((story, index): DraftDocument => {
      const id = ids.ids[index] ?? '';
      const before = known.get(id);
      const field = `stories[${index}]`;
      const used = { known: (before?.story.criteria ?? []).map((entry) => entry.id), retired: before?.story.retired ?? [] };
      const recognised = recogniseIds(story.criteria, before?.story.criteria ?? [], ({ title }) => title);
      const criteria = allocateIds('AC', recognised, used, `${field}.criteria`);
      const data = { ...story, id, criteria: criteria.items, retired: criteria.retired };
      findings.push(...criteria.findings);
      const checked = criteria.findings.length > 0 ? undefined : checkValue(storySchema, data, { prefix: field });
      if (checked && !checked.ok) findings.push(...checked.findings);
      return { kind: 'story', fileName: before?.fileName ?? `${id}.md`, data: checked?.ok ? checked.data : data };
    });
    if (findings.length > 0) return { ok: false, findings };
    return { ok: true, draft: { documents: [...documents, handOffDocument(handOff, context.stage)], files: [] } };
  },
  fromDocuments(documents) {
    const stories = documents
      .filter((document) => document.kind === 'story')
      .map(({ data }) => {
        const { retired: _, ...story } = data as Story;
        return story;
      });
    return { stories, handOff: findHandOff(documents) };
  },
};

type KnownStories = Map<string, { fileName: string; story: Story }>;

function knownStories({ existing }: DraftContext): KnownStories {
  const stories = Object.entries(existing).filter(([, document]) => document.kind === 'story');
  return new Map(stories.map(([fileName, { data }]) => [(data as Story).id, { fileName, story: data as Story }]));
}

function storyIds(stories: StorySubmission['stories'], known: KnownStories): { ids: string[]; findings: Finding[] } {
  const findings: Finding[] = [];
  const files = [...known.values()].map(({ fileName }) => fileName.replace(/\.md$/, ''));
  const taken = new Set([...known.keys(), ...files]);
  const kept = new Set<string>();
  const ids = stories.map((story, index) => {
    const id = story.id === undefined ? undefined : canonicalStoryId(story.id);
    if (id !== undefined && known.has(id)) {
      if (kept.has(id)) {
        const field = `stories[${index}].id`;
        findings.push({
          rule: 'duplicate-id',
          severity: 'error',
          message: `Unexpected second "${id}" (${field}), expected every id once.`,
          field,
        });
      }
      kept.add(id);
      return id;
    }
    const fresh = allocateStoryId(story.title, taken);
    taken.add(fresh);
    return fresh;
  });
  return { ids, findings };
}
