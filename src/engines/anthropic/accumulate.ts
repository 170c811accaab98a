import { estimateTokens } from '../../text/tokens.ts';
import { NO_USAGE, type ReplyProgress, type Usage } from '../../model/engine.ts';

/** A block as its events have built it so far. Input of a tool is text until the reply is complete. */
export interface RawBlock {
  type: string;
  /** What `content_block_start` or the whole message held of it. */
  start: Record<string, unknown>;
  text: string;
  json: string;
  thinking: string;
  signature: string;
  isClosed: boolean;
}

/** A message of the API while it arrives, and once it is whole. */
export interface RawMessage {
  blocks: RawBlock[];
  stopReason: string | undefined;
  stopDetails: unknown;
  usage: Usage;
  /** Whether its end has been seen: what lacks it is no reply. */
  isComplete: boolean;
}

export function emptyMessage(): RawMessage {
  return { blocks: [], stopReason: undefined, stopDetails: undefined, usage: { ...NO_USAGE }, isComplete: false };
}

/**
 * Takes one event of a stream into the message, in place; says what has arrived. Events and deltas of unknown types, and
 * those for a block that never began, change nothing.
 */
export function addEvent(message: RawMessage, event: unknown): ReplyProgress | undefined {
  const { type, index, ...rest } = objectOf(event);
  const block = typeof index === 'number' ? message.blocks[index] : undefined;
  switch (type) {
    case 'message_start':
      takeUsage(message, objectOf(rest['message'])['usage']);
      return undefined;
    case 'content_block_start':
      if (typeof index === 'number') message.blocks[index] = newBlock(objectOf(rest['content_block']));
      return progressOf(message.blocks[index as number]);
    case 'content_block_delta':
      if (block) addDelta(block, objectOf(rest['delta']));
      return progressOf(block);
    case 'content_block_stop':
      if (block) block.isClosed = true;
      return undefined;
    case 'message_delta': {
      const { stop_reason, stop_details } = objectOf(rest['delta']);
      if (typeof stop_reason === 'string') message.stopReason = stop_reason;
      if (stop_details !== undefined && stop_details !== null) message.stopDetails = stop_details;
      takeUsage(message, rest['usage']);
      return undefined;
    }
    case 'message_stop':
      message.isComplete = true;
      return undefined;
    default:
      return undefined;
  }
}

/** A message that came in one piece, from a server that does not stream. */
export function wholeMessage(value: Record<string, unknown>): RawMessage {
  const message = emptyMessage();
  const content = Array.isArray(value['content']) ? (value['content'] as unknown[]) : [];
  message.blocks = content.map((one) => ({ ...newBlock(objectOf(one)), isClosed: true }));
  if (typeof value['stop_reason'] === 'string') message.stopReason = value['stop_reason'];
  message.stopDetails = value['stop_details'] ?? undefined;
  takeUsage(message, value['usage']);
  message.isComplete = true;
  return message;
}

/**
 * Tokens of a message that broke off; none when nothing had begun. The count of the output comes only with the end, so
 * it is estimated from what has arrived where that is more.
 */
export function lostUsage({ usage, blocks }: RawMessage): Usage | undefined {
  const arrived = blocks.reduce((sum, block) => sum + estimateTokens(block.text + block.json + block.thinking), 0);
  const lost = { ...usage, output: Math.max(usage.output, arrived) };
  return lost.input + lost.output + lost.cacheRead + lost.cacheWrite > 0 ? lost : undefined;
}

function newBlock(start: Record<string, unknown>): RawBlock {
  const text = (key: string): string => (typeof start[key] === 'string' ? start[key] : '');
  return {
    type: text('type'),
    start,
    text: text('text'),
    json: '',
    thinking: text('thinking'),
    signature: text('signature'),
    isClosed: false,
  };
}

function addDelta(block: RawBlock, delta: Record<string, unknown>): void {
  const piece = (key: string): string => (typeof delta[key] === 'string' ? delta[key] : '');
  block.text += piece('text');
  block.json += piece('partial_json');
  block.thinking += piece('thinking');
  block.signature += piece('signature');
}

function progressOf(block: RawBlock | undefined): ReplyProgress | undefined {
  if (block?.type === 'text') return { kind: 'text', characters: block.text.length };
  if (block?.type === 'thinking') return { kind: 'thinking', characters: block.thinking.length };
  if (block?.type === 'tool_use') return { kind: 'tool-call', tool: String(block.start['name']), characters: block.json.length };
  return undefined;
}

/** Counts are of the whole message so far: a later one replaces the earlier, it is never added. */
function takeUsage({ usage }: RawMessage, given: unknown): void {
  const counts = objectOf(given);
  for (const [key, name] of USAGE_NAMES) {
    const count = counts[name];
    if (typeof count === 'number' && Number.isFinite(count) && count >= 0) usage[key] = count;
  }
}

const USAGE_NAMES = [
  ['input', 'input_tokens'],
  ['output', 'output_tokens'],
  ['cacheRead', 'cache_read_input_tokens'],
  ['cacheWrite', 'cache_creation_input_tokens'],
] as const;

function objectOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
