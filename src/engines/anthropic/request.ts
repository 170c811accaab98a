import type { Effort, Message, ToolDescription, TurnRequest } from '../../model/engine.ts';
import type { Capabilities } from './capabilities.ts';

type Json = Record<string, unknown>;

/** Body of a request to the Messages API, streaming always asked for. */
export interface RequestBody extends Json {
  model: string;
  max_tokens: number;
  stream: true;
  messages: { role: 'user' | 'assistant'; content: Json[] }[];
}

/**
 * The body for one turn. Tools, shared part and role come first and in the same bytes each time; cache breakpoints stand
 * behind the part that all roles share, behind the role, and behind the last two messages of the user, so that each turn
 * reads what the one before has written.
 */
export function toRequestBody(request: TurnRequest, own: { model: string; effort?: Effort; capabilities: Capabilities }): RequestBody {
  const { promptCache, effort: takesEffort, thinking, maxOutput } = own.capabilities;
  const effort = request.effort ?? own.effort;
  const system = request.system.filter((text) => text.trim() !== '').map((text) => ({ type: 'text', text }));
  const messages = request.messages.map(toMessage);
  const body: RequestBody = {
    model: request.model ?? own.model,
    max_tokens: maxOutput,
    stream: true,
    ...(request.tools.length > 0 && { tools: request.tools.map(toTool) }),
    ...(system.length > 0 && { system: promptCache ? marked(system) : system }),
    messages: promptCache ? withBreakpoints(messages) : messages,
  };
  if (thinking) body['thinking'] = { type: 'adaptive' };
  if (takesEffort && effort !== undefined) body['output_config'] = { effort };
  return body;
}

function toTool({ name, description, inputSchema }: ToolDescription): Json {
  return { name, description, input_schema: inputSchema };
}

/** Results come before text in a message of the user, and no text is empty: the API refuses both. */
function toMessage(message: Message): RequestBody['messages'][number] {
  if (message.role === 'assistant') {
    const content = message.content.flatMap((block): Json[] => {
      if (block.type === 'text') return [{ type: 'text', text: block.text }];
      if (block.type === 'tool-call') return [{ type: 'tool_use', id: block.id, name: block.name, input: block.input }];
      return [block.data as Json];
    });
    // A message of nothing, or with thinking at its end, is refused.
    const isUnfinished = content.length === 0 || String(content.at(-1)?.['type']).endsWith('thinking');
    return { role: 'assistant', content: isUnfinished ? [...content, { type: 'text', text: '(no reply)' }] : content };
  }
  const results = message.content.filter((block) => block.type === 'tool-result');
  const texts = message.content.filter((block) => block.type === 'text');
  return {
    role: 'user',
    content: [
      ...results.map(({ id, text, isError }) => ({
        type: 'tool_result',
        tool_use_id: id,
        content: text.trim() === '' ? '(empty)' : text,
        ...(isError && { is_error: true }),
      })),
      ...texts.map(({ text }) => ({ type: 'text', text: text.trim() === '' ? '(empty)' : text })),
    ],
  };
}

const BREAKPOINT = { cache_control: { type: 'ephemeral' } };

function marked(system: Json[]): Json[] {
  return system.map((block, index) => (index === 0 || index === system.length - 1 ? { ...block, ...BREAKPOINT } : block));
}

function withBreakpoints(messages: RequestBody['messages']): RequestBody['messages'] {
  const last = new Set(messages.filter(({ role }) => role === 'user').slice(-2));
  return messages.map((message) =>
    last.has(message)
      ? {
          ...message,
          content: message.content.map((block, index) => (index === message.content.length - 1 ? { ...block, ...BREAKPOINT } : block)),
        }
      : message,
  );
}
