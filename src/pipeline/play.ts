import { InternalError } from '../errors.ts';
import type { Draft } from '../model/artifact.ts';
import type { SubmitResult } from '../model/agent.ts';
import { NO_USAGE, type Harness, type Provider, type Submission } from '../model/engine.ts';
import type { Digests } from '../model/event.ts';
import type { CriterionEvidence } from '../model/evidence.ts';
import type { Failure, FailureKind, Finding } from '../model/failure.ts';
import type { FileChange } from '../model/ports.ts';
import { runAgent } from '../agent/run-agent.ts';
import { submissionKinds, submissionTools } from '../artifacts/kinds.ts';
import type { Attempt } from './attempt.ts';
import { attemptRecord } from './attempt-record.ts';
import { record, type RunContext } from './context.ts';
import { findObjects } from '../text/loose-json.ts';
import { choiceOf, engineContext } from './engine-choice.ts';
import { demandWithinLimits } from './run-limits.ts';
import { changesSince, createGuard, dirtyDigests } from './guard.ts';
import { proveStage } from './prove.ts';
import type { Target } from './place.ts';
import type { StageDefinition } from './steps.ts';
import { openSubmission, renderDraft } from './submission.ts';

/** A submission that passed every check, ready to be put in place. */
export interface Accepted {
  draft: Draft;
  targets: Target[];
  evidence?: CriterionEvidence[];
  protects?: Digests;
}

export type Played = { kind: 'accepted'; accepted: Accepted } | { kind: 'failed'; failure: Failure };

const WRITING_TOOLS = new Set(['write_file', 'edit_file', 'run_command']);

/** Has the engine play the role until a submission passes or the attempt fails. */
export async function playAttempt(context: RunContext, stage: StageDefinition, attempt: Attempt): Promise<Played> {
  const held: { accepted?: Accepted } = {};
  const submit = (submission: Submission): Promise<SubmitResult> => judge(context, stage, attempt, submission, held);
  const engine = context.engine;
  if (!engine) throw new InternalError('An attempt was begun without an engine.');
  const result =
    engine.kind === 'harness'
      ? await perform(context, stage, attempt, engine, submit)
      : await converse(context, stage, attempt, engine, submit);
  if (result.kind === 'failed') return result;
  if (!held.accepted) return { kind: 'failed', failure: { kind: 'no-artifact', message: 'The role ended without handing anything in.' } };
  return { kind: 'accepted', accepted: held.accepted };
}

async function converse(
  context: RunContext,
  stage: StageDefinition,
  { attempt, prompt }: Attempt,
  provider: Provider,
  submit: (submission: Submission) => Promise<SubmitResult>,
) {
  const { project, hooks } = context;
  const role = project.roles.get(stage.role);
  const limits = { ...project.config.limits, ...role?.limits };
  const protectedPaths = (): Iterable<string> => Object.keys(context.state.protects);
  return runAgent({
    provider,
    key: { step: stage.name, attempt },
    prompt,
    limits: { turns: limits.turns, tokens: limits.tokens, time: limits.minutes * 60_000, mendRounds: limits.mendRounds },
    record: attemptRecord(context, stage.name, attempt),
    clock: context.clock,
    tools: context.tools,
    allowed: new Set((role?.tools ?? []).filter((name) => stage.writes || !WRITING_TOOLS.has(name))),
    submitTool: submissionKinds[stage.kind].tool,
    submitTools: new Set(submissionTools.map(({ tool }) => tool)),
    submit: (data) => submit({ kind: stage.kind, data }),
    files: context.files,
    root: project.root,
    guard: createGuard(context, stage.name, attempt),
    signal: hooks.signal,
    choice: choiceOf(context, stage),
    engineContext: engineContext(context, stage.name),
    beforeTurn: (turn) => {
      demandWithinLimits(context);
      hooks.emit({ type: 'turn-start', step: stage.name, attempt, turn });
    },
    findSubmission: (text) => findSubmission(text, stage),
    redact: (text) => context.redact(text),
    onCall: (tool, target) => hooks.emit({ type: 'call-start', step: stage.name, tool, ...(target !== undefined && { target }) }),
    toolContext: {
      border: context.makeBorder({ mayTouch: stage.writes ? (role?.mayTouch ?? []) : [], protectedPaths }),
      processes: context.processes,
      root: project.root,
      signal: hooks.signal,
      commandTimeout: limits.commandSeconds * 1000,
    },
  });
}

/** Weak models write their call as text: the object itself, or the call with it as arguments. The last that fits counts. */
function findSubmission(text: string, stage: StageDefinition): unknown {
  const { schema, tool } = submissionKinds[stage.kind];
  return findObjects(text)
    .map((object) => (object['name'] === tool ? (object['arguments'] ?? object['input'] ?? object['parameters']) : object))
    .findLast((object) => schema.safeParse(object).success);
}

/** A harness works by itself: what it changed is seen through git, and its usage is recorded as one turn. */
async function perform(
  context: RunContext,
  stage: StageDefinition,
  { attempt, prompt }: Attempt,
  harness: Harness,
  submit: (submission: Submission) => Promise<SubmitResult>,
) {
  demandWithinLimits(context);
  const guard = createGuard(context, stage.name, attempt);
  await guard.before('command');
  const before = await dirtyDigests(context);
  const startedAt = context.clock.monotonic();
  let rejected: Failure | undefined;
  let isAccepted = false;
  const { usage } = await harness.perform(
    {
      key: { step: stage.name, attempt },
      prompt,
      workspace: context.project.root,
      kind: stage.kind,
      submit: async (submission) => {
        const changed = before ? await changesSince(context, before) : [];
        if (changed.length > 0) await recordChanges(context, stage, attempt, harness.name, changed);
        // Whatever has happened since the start is the harness's doing, protected tests included.
        const { failure: touched } = await guard.after(harness.name);
        if (touched) {
          rejected = touched;
          return { accepted: false, text: touched.message };
        }
        const result = await submit(submission);
        isAccepted ||= result.accepted;
        rejected = result.accepted ? undefined : result.failure;
        return { accepted: result.accepted, text: result.text };
      },
    },
    { signal: context.hooks.signal },
  );
  await attemptRecord(context, stage.name, attempt).recordTurn(
    1,
    { content: [], stop: 'end', usage: usage ?? NO_USAGE },
    Math.round(context.clock.monotonic() - startedAt),
  );
  const { failure } = await guard.after(harness.name);
  const final = failure ?? (isAccepted ? undefined : rejected);
  return final ? ({ kind: 'failed', failure: final } as const) : ({ kind: 'finished' } as const);
}

async function recordChanges(
  context: RunContext,
  stage: StageDefinition,
  attempt: number,
  tool: string,
  changed: FileChange[],
): Promise<void> {
  const output = await context.journal.putBlob('');
  await record(context, {
    type: 'tool-end',
    data: { step: stage.name, attempt, turn: 1, call: 'harness', tool, kind: 'command', output, error: false, changed },
  });
}

async function judge(
  context: RunContext,
  stage: StageDefinition,
  attempt: Attempt,
  submission: Submission,
  held: { accepted?: Accepted },
): Promise<SubmitResult> {
  delete held.accepted;
  const opened = await openSubmission(context, stage, submission);
  if (!opened.ok) return reject(opened.findings, 'invalid-submission');
  const proof = await proveStage(context, stage, attempt.attempt, opened.draft);
  if (!proof.ok) return { ...reject(proof.findings, proof.kind), ...(proof.final && { final: true }) };
  const targets = await renderDraft(context, stage, opened.draft, attempt.inputs);
  held.accepted = {
    draft: opened.draft,
    targets,
    ...(proof.evidence && { evidence: proof.evidence }),
    ...(proof.protects && { protects: proof.protects }),
  };
  return { accepted: true, text: 'Accepted.' };
}

function reject(findings: Finding[], kind: FailureKind): SubmitResult & { accepted: false } {
  const lines = findings.map(({ field, file, line, message, hint }) => {
    const place = field ?? (file === undefined ? '' : `${file}${line === undefined ? '' : `:${line}`}`);
    return `- ${place === '' ? '' : `${place}: `}${message}${hint === undefined ? '' : ` (${hint})`}`;
  });
  const message = `The submission was not accepted: ${findings.length} finding${findings.length === 1 ? '' : 's'}.`;
  return { accepted: false, text: [message, ...lines, 'Mend these and hand in again.'].join('\n'), failure: { kind, message, findings } };
}
