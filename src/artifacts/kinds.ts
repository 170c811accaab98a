import type { DocumentKind, KindName, SubmissionKind } from '../model/artifact.ts';
import { type FeatureSpec, featureSpecKind, featureSpecSubmission } from './feature-spec.ts';
import { type HandOff, handOffKind, handOffSubmission } from './hand-off.ts';
import { type ImplementationPlan, implementationPlanKind, implementationPlanSubmission } from './implementation-plan.ts';
import { type Report, reportKind, reportSubmission } from './report.ts';
import { type Story, storyKind, storySubmission } from './story.ts';
import { type TestSpec, testSpecKind, testSpecSubmission } from './test-spec.ts';

/** The data of each kind. */
export interface KindData {
  'feature-spec': FeatureSpec;
  story: Story;
  'test-spec': TestSpec;
  'implementation-plan': ImplementationPlan;
  'hand-off': HandOff;
  report: Report;
}

/** How the files of each kind are read and judged. */
export const documentKinds = {
  'feature-spec': featureSpecKind,
  story: storyKind,
  'test-spec': testSpecKind,
  'implementation-plan': implementationPlanKind,
  'hand-off': handOffKind,
  report: reportKind,
} satisfies { [Name in KindName]: DocumentKind<KindData[Name]> };

/** How each kind is handed in. */
export const submissionKinds = {
  'feature-spec': featureSpecSubmission,
  story: storySubmission,
  'test-spec': testSpecSubmission,
  'implementation-plan': implementationPlanSubmission,
  'hand-off': handOffSubmission,
  report: reportSubmission,
} satisfies Record<KindName, SubmissionKind>;

/** All ways to hand in, in the order in which they are listed to every role: a prompt prefix shared by all. */
export const submissionTools: readonly SubmissionKind[] = Object.values(submissionKinds);
