import { cleanText, cleanWords } from '../text/clean.ts';
import type { Files } from '../model/ports.ts';
import type { AttemptRecord, RecordedCall, SubmitResult } from '../model/agent.ts';
import type { Failure } from '../model/failure.ts';
import type { FileChange } from '../model/ports.ts';
import type { PreparedCall, Tool, ToolContext } from '../model/tool.ts';

export interface ToolCall {
  id: string;
  name: string;
  input: unknown;
  /** Why it cannot be run. */
  fault?: string;
}

/** Watches what a call does beyond its own result: protected tests, files changed by commands. */
export interface CallGuard {
  /** Rejects when a person changed something since the last look. */
  before(kind: 'write' | 'command'): Promise<void>;
  /** What the call changed; a failure when it was something it must not change. */
  after(tool: string): Promise<{ changed: FileChange[]; failure?: Failure }>;
}

export interface CallContext {
  tools: Tool[];
  /** Names the role may use. */
  allowed: ReadonlySet<string>;
  /** The submission tool of this stage. */
  submitTool: string;
  /** All submission tools, those of other stages too. */
  submitTools: ReadonlySet<string>;
  submit(input: unknown): Promise<SubmitResult>;
  record: AttemptRecord;
  files: Files;
  root: string;
  guard: CallGuard;
  toolContext: ToolContext;
  /** Takes the values of keys out of a text. */
  redact: (text: string) => string;
  /** Told when a call begins; `target` is the path, pattern or command it is about. */
  onCall(tool: string, target: string | undefined): void;
  signal: AbortSignal;
}

export interface CallOutcome {
  text: string;
  isError: boolean;
  accepted?: boolean;
  rejected?: Failure;
  final?: Failure;
}

/** One call: what is recorded is answered from the record; everything else is prepared, recorded, run and recorded. */
export async function runCall(call: ToolCall, turn: number, context: CallContext): Promise<CallOutcome> {
  const recorded = await context.record.call(turn, call.id);
  if (recorded?.ended && !recorded.accepted) return endedBefore(recorded);
  if (recorded?.kind === 'submission') return submit(call, turn, context);
  if (recorded) return finishInterrupted(call, turn, recorded.kind === 'write' ? recorded.text : undefined, context);

  if (call.fault !== undefined) return end(call, turn, { kind: 'answer', text: call.fault, isError: true }, context);
  context.onCall(call.name, targetOf(call.input));
  if (call.name === context.submitTool) return submit(call, turn, context);
  const refusal = refusalOf(call, context);
  if (refusal !== undefined) return end(call, turn, { kind: 'answer', text: refusal, isError: true }, context);
  const tool = context.tools.find(({ name }) => name === call.name) as Tool;
  const prepared = await tool.prepare(call.input, context.toolContext);
  if (prepared.kind === 'answer')
    return end(call, turn, { kind: 'answer', text: prepared.text, isError: prepared.isError === true }, context);
  await context.guard.before(prepared.kind);
  return prepared.kind === 'write' ? write(call, turn, prepared, context) : runCommand(call, turn, prepared, context);
}

/** What people want to see of a call: the first of these that it has. */
function targetOf(input: unknown): string | undefined {
  const { command, path, pattern, query } = (input ?? {}) as Record<string, unknown>;
  return [command, path, pattern, query].find((value): value is string => typeof value === 'string');
}

function refusalOf(call: ToolCall, { tools, allowed, submitTools, submitTool }: CallContext): string | undefined {
  if (submitTools.has(call.name)) return `${call.name} belongs to another stage; hand in with ${submitTool}.`;
  if (!tools.some(({ name }) => name === call.name))
    return `There is no tool ${JSON.stringify(call.name)}. Tools: ${[...allowed, submitTool].join(', ')}.`;
  if (!allowed.has(call.name)) return `Your role may not use ${call.name}. Tools you may use: ${[...allowed, submitTool].join(', ')}.`;
  return undefined;
}

async function write(call: ToolCall, turn: number, prepared: PreparedCall & { kind: 'write' }, context: CallContext): Promise<CallOutcome> {
  const { change, bytes, before, text } = prepared;
  if (holdsKey(bytes, context) || (before && holdsKey(before, context))) {
    const refusal = `Not written: "${change.path}" holds a key, which must not be stored. Leave that file to the person.`;
    return end(call, turn, { kind: 'answer', text: refusal, isError: true }, context);
  }
  await context.record.startCall(turn, call.id, { tool: call.name, kind: 'write', change, bytes, before, text });
  await context.files.replace(`${context.root}/${change.path}`, bytes);
  return end(call, turn, { kind: 'write', text, isError: false }, context);
}

/** Bytes of files are kept in the journal, before and after. */
function holdsKey(bytes: Uint8Array, { redact }: CallContext): boolean {
  const text = new TextDecoder().decode(bytes);
  return redact(text) !== text;
}

async function runCommand(
  call: ToolCall,
  turn: number,
  prepared: PreparedCall & { kind: 'command' },
  context: CallContext,
): Promise<CallOutcome> {
  await context.record.startCall(turn, call.id, { tool: call.name, kind: 'command' });
  const { text, isError } = await prepared.run();
  const { changed, failure } = await context.guard.after(call.name);
  const answer = failure ? `${text}\n${failure.message}` : text;
  return end(call, turn, { kind: 'command', text: answer, isError: isError || failure !== undefined, changed, failure }, context);
}

async function submit(call: ToolCall, turn: number, context: CallContext): Promise<CallOutcome> {
  const started = await context.record.call(turn, call.id);
  if (!started) await context.record.startCall(turn, call.id, { tool: call.name, kind: 'submission' });
  const result = cleanWords(await context.submit(call.input), context.redact);
  if (!started?.ended)
    await context.record.endCall(turn, call.id, {
      tool: call.name,
      kind: 'submission',
      text: result.text,
      error: !result.accepted,
      accepted: result.accepted,
      ...(!result.accepted && { failure: result.failure, final: result.final === true }),
    });
  const outcome: CallOutcome = { text: result.text, isError: !result.accepted };
  if (result.accepted) return { ...outcome, accepted: true };
  return result.final ? { ...outcome, final: result.failure } : { ...outcome, rejected: result.failure };
}

/** What a call came to before a crash is in the record, its failure too; nothing is judged a second time. */
function endedBefore({ kind, text, error, failure, final }: RecordedCall): CallOutcome {
  const outcome: CallOutcome = { text, isError: error };
  if (failure) return final ? { ...outcome, final: failure } : { ...outcome, rejected: failure };
  return kind === 'submission' ? { ...outcome, rejected: { kind: 'invalid-submission', message: text } } : outcome;
}

/** A write has been rolled forward by now. A command's outcome is unknown: only the model can look. */
async function finishInterrupted(call: ToolCall, turn: number, written: string | undefined, context: CallContext): Promise<CallOutcome> {
  if (written !== undefined) return end(call, turn, { kind: 'write', text: written, isError: false }, context);
  const { changed, failure } = await context.guard.after(call.name);
  const text = 'Interrupted: the program was stopped while this command ran. Its outcome is unknown; look before you go on.';
  return end(call, turn, { kind: 'command', text, isError: true, changed, failure }, context);
}

async function end(
  call: ToolCall,
  turn: number,
  result: { kind: 'answer' | 'write' | 'command'; text: string; isError: boolean; changed?: FileChange[]; failure?: Failure | undefined },
  { record, redact }: CallContext,
): Promise<CallOutcome> {
  const { kind, isError, changed, failure } = result;
  const text = cleanText(result.text, redact);
  await record.endCall(turn, call.id, {
    tool: call.name,
    kind,
    text,
    error: isError,
    ...(changed && changed.length > 0 && { changed }),
    ...(failure && { failure, final: true }),
  });
  return { text, isError, ...(failure && { final: failure }) };
}
