import { parseDocument, type Document } from 'yaml';
import * as z from 'zod';
import { EngineError, UsageError } from '../../errors.ts';
import { NO_USAGE, type Message, type Provider, type Reply, type TurnRequest } from '../../model/engine.ts';

const usage = z.object({ input: z.number(), output: z.number(), cacheRead: z.number().default(0), cacheWrite: z.number().default(0) });

const entry = z.strictObject({
  stage: z.string(),
  attempt: z.int().min(1).default(1),
  turn: z.int().min(1),
  /** Texts that the newest message or the task must hold: a recording that no longer fits says so. */
  expect: z.array(z.string()).default([]),
  /** What the model said before its calls. */
  say: z.string().optional(),
  /** Calls in order; the input is handed to the tool as it stands. One with a fault is answered with it and never run. */
  calls: z
    .array(z.strictObject({ id: z.string().optional(), tool: z.string(), input: z.unknown(), fault: z.string().optional() }))
    .default([]),
  stop: z.enum(['end', 'tool-calls', 'truncated', 'refusal', 'context-overflow']).optional(),
  /** What the engine said of the stop. */
  detail: z.string().optional(),
  usage: usage.optional(),
  /** Milliseconds to wait before answering, as a model would. */
  delay: z.number().min(0).max(60_000).default(0),
});

export type TranscriptEntry = z.infer<typeof entry>;

/**
 * Reads a transcript: a YAML (or JSON) list of entries, one per turn.
 * @throws UsageError with `file:line:column` for what is no transcript.
 */
export function parseTranscript(text: string, file: string): TranscriptEntry[] {
  const document = parseDocument(text, { prettyErrors: false });
  const fault = document.errors[0];
  if (fault) {
    const before = text.slice(0, fault.pos[0]).split('\n');
    throw new UsageError(`Transcript ${file} is not valid YAML: ${fault.message}`, {
      place: `${file}:${before.length}:${(before.at(-1)?.length ?? 0) + 1}`,
    });
  }
  const parsed = z.array(entry).safeParse(valueOf(document, file));
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    throw new UsageError(`Transcript ${file} is not a list of turns: ${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}`.trim(), {
      place: file,
      hint: 'Each entry has stage, turn, and say or calls; attempt is 1 unless given.',
    });
  }
  return parsed.data;
}

/** Aliases are resolved only here: one that leads nowhere, or unfolds without end, is no fault of the syntax. */
function valueOf(document: Document, file: string): unknown {
  try {
    return document.toJS({ maxAliasCount: 50 });
  } catch (cause) {
    throw new UsageError(`Transcript ${file} has an alias that cannot be resolved.`, { place: file, cause });
  }
}

/**
 * Plays recorded replies. It keeps no state: which reply comes is told by the stage, the attempt and the turn alone, so
 * a resumed run goes on where it was.
 */
export function createTranscriptEngine({
  name,
  file,
  entries,
  wait,
}: {
  name: string;
  file: string;
  entries: TranscriptEntry[];
  /** Waits so many milliseconds, or rejects with the abort reason. */
  wait: (milliseconds: number, signal: AbortSignal) => Promise<void>;
}): Provider {
  return {
    kind: 'provider',
    name,
    complete: async (request, { signal, onProgress }) => {
      signal.throwIfAborted();
      const found = entries.find((item) => isFor(item, request));
      if (!found) throw exhausted(request, entries, file);
      const missing = found.expect.find((text) => !visibleText(request).includes(text));
      if (missing !== undefined) {
        throw new EngineError(
          `Transcript ${file} expects the prompt of ${keyText(request)} to hold ${JSON.stringify(missing)}, and it does not.`,
        );
      }
      if (found.delay > 0) await wait(found.delay, signal);
      if (found.say !== undefined) onProgress?.({ kind: 'text', characters: found.say.length });
      return toReply(found, request);
    },
  };
}

function isFor(item: TranscriptEntry, { key }: TurnRequest): boolean {
  return item.stage === key.step && item.attempt === key.attempt && item.turn === key.turn;
}

function toReply(item: TranscriptEntry, { key }: TurnRequest): Reply {
  const content: Reply['content'] = [];
  if (item.say !== undefined) content.push({ type: 'text', text: item.say });
  item.calls.forEach((call, index) => {
    const id = call.id ?? `${key.step}-${key.attempt}-${key.turn}-${index + 1}`;
    content.push({ type: 'tool-call', id, name: call.tool, input: call.input, ...(call.fault !== undefined && { fault: call.fault }) });
  });
  const stop = item.stop ?? (item.calls.length > 0 ? 'tool-calls' : 'end');
  return { content, stop, usage: item.usage ?? { ...NO_USAGE }, ...(item.detail !== undefined && { detail: item.detail }) };
}

function exhausted(request: TurnRequest, entries: TranscriptEntry[], file: string): EngineError {
  const has = entries.filter((item) => item.stage === request.key.step).map((item) => `${item.stage}.${item.attempt} turn ${item.turn}`);
  return new EngineError(`Transcript ${file} has no reply for ${keyText(request)}. Last message: ${excerpt(request.messages.at(-1))}`, {
    hint: has.length > 0 ? `For this stage it has: ${has.join(', ')}.` : `It has nothing for stage ${request.key.step}.`,
  });
}

function keyText({ key }: TurnRequest): string {
  return `${key.step}.${key.attempt} turn ${key.turn}`;
}

function visibleText({ system, messages }: TurnRequest): string {
  return [...system, ...messages.map(messageText)].join('\n');
}

function messageText(message: Message): string {
  return message.content.map((block) => ('text' in block ? block.text : '')).join('\n');
}

function excerpt(message: Message | undefined): string {
  const text = message ? messageText(message).trim() : '';
  return JSON.stringify(text.length > 300 ? `${text.slice(0, 300)}…` : text);
}
