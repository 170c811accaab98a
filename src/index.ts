export { initProject, listFeatures, readFeatureStatus, readStageContext, runFeature, type Environment } from './compose.ts';
export {
  BlueprintError,
  BriefMissingError,
  EngineError,
  EXIT,
  InternalError,
  InterruptedError,
  ParkedError,
  PersonNeededError,
  StageFailedError,
  StateError,
  UsageError,
} from './errors.ts';
export type {
  ArtifactStatus,
  ContextPart,
  FeatureStatus,
  Hooks,
  Question,
  RunOptions,
  RunOutcome,
  StageContext,
  StepStatus,
} from './model/api.ts';
export type {
  Engine,
  EngineContext,
  Harness,
  HarnessJob,
  Provider,
  Reply,
  Submission,
  SubmissionAnswer,
  TurnRequest,
  Usage,
} from './model/engine.ts';
export type { JournalEvent, RunEvent } from './model/event.ts';
export type { Failure, Finding } from './model/failure.ts';
