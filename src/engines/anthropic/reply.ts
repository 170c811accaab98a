import type { Block, Message, Reply, StopReason, ToolCallBlock } from '../../model/engine.ts';
import { parseLooseJson } from '../../text/loose-json.ts';
import type { RawBlock, RawMessage } from './accumulate.ts';

/**
 * The reply that a whole message is. Tools are run only when the model has stopped to call them: what came with any
 * other stop, was cut off or is no JSON gets a fault that is told instead.
 */
export function toReply(message: RawMessage, earlier: readonly Message[]): Reply {
  const { stopReason, stopDetails, usage } = message;
  const taken = new Set(earlier.flatMap(({ content }) => content.flatMap((block) => (block.type === 'tool-call' ? [block.id] : []))));
  const blocks = message.blocks.filter(Boolean);
  const content = blocks.flatMap((block) => toBlock(block, taken));
  const calls = content.filter((block) => block.type === 'tool-call');
  const stop = stopOf(stopReason, calls);
  if (stop !== 'truncated' && stop !== 'refusal' && stopReason !== 'tool_use') {
    for (const call of calls) call.fault ??= `It was not run: the reply ended with ${stopReason ?? 'no stop reason'}, not with tool_use.`;
  }
  const detail = detailOf(stopReason, stopDetails);
  return { content, stop, usage, ...(detail !== undefined && { detail }) };
}

function stopOf(stopReason: string | undefined, calls: ToolCallBlock[]): StopReason {
  if (stopReason === 'max_tokens') return 'truncated';
  if (stopReason === 'refusal') return 'refusal';
  if (stopReason === 'model_context_window_exceeded') return 'context-overflow';
  return calls.length > 0 ? 'tool-calls' : 'end';
}

const KNOWN_STOPS = new Set(['end_turn', 'tool_use', 'max_tokens', 'stop_sequence']);

function detailOf(stopReason: string | undefined, stopDetails: unknown): string | undefined {
  const { category, explanation } = (stopDetails ?? {}) as { category?: unknown; explanation?: unknown };
  const details = [category, explanation].filter((part) => typeof part === 'string' && part !== '');
  if (details.length > 0) return details.join(': ');
  return stopReason !== undefined && KNOWN_STOPS.has(stopReason) ? undefined : (stopReason ?? 'no stop reason');
}

function toBlock(block: RawBlock, taken: Set<string>): Block[] {
  if (block.type === 'text') return block.text.trim() === '' ? [] : [{ type: 'text', text: block.text }];
  if (block.type === 'tool_use') return [toCall(block, taken)];
  if (block.type === 'thinking') {
    // Cut off or unsigned: the API would refuse it, now and in every later request.
    if (!block.isClosed || block.signature === '') return [];
    return [{ type: 'opaque', data: { ...block.start, thinking: block.thinking, signature: block.signature } }];
  }
  // A kind of block that is not known here: whatever it is, the API wants its own back.
  return block.isClosed ? [{ type: 'opaque', data: block.start }] : [];
}

function toCall(block: RawBlock, taken: Set<string>): ToolCallBlock {
  const name = typeof block.start['name'] === 'string' && /^[\w-]{1,128}$/.test(block.start['name']) ? block.start['name'] : 'unknown';
  const call = { type: 'tool-call' as const, id: freeId(block.start['id'], taken), name };
  if (block.json.trim() === '') return withInput(call, block.start['input'] ?? {});
  const parsed = parseLooseJson(block.json);
  if (parsed.ok) return withInput(call, parsed.value);
  // Sent back as valid JSON: what the model wrote would make the API refuse every later request.
  const { message, line, column } = parsed;
  return {
    ...call,
    input: { not_json: block.json.slice(0, 2000) },
    fault: `The input is no JSON, so nothing was run. At line ${line}, column ${column}: ${message}`,
  };
}

function withInput(call: Omit<ToolCallBlock, 'input'>, input: unknown): ToolCallBlock {
  if (typeof input === 'object' && input !== null && !Array.isArray(input)) return { ...call, input };
  return { ...call, input: { value: input }, fault: 'Expected a JSON object as input, so nothing was run.' };
}

/** Ids answer calls, so each is used once in a conversation; some servers count from zero in every reply. */
function freeId(given: unknown, taken: Set<string>): string {
  const wanted = typeof given === 'string' && /^[\w-]{1,64}$/.test(given) ? given : 'call';
  let id = wanted;
  for (let count = 2; taken.has(id); count += 1) id = `${wanted}_${count}`;
  taken.add(id);
  return id;
}
