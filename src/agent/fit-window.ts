import type { Message, Prompt, ToolResultBlock } from '../model/engine.ts';
import { estimateTokens } from '../text/tokens.ts';

/** What is sent, and what had to be shortened for it; or why it does not fit. */
export type Fitted =
  | { fits: true; messages: Message[]; shortened: string[]; before: number; after: number }
  | { fits: false; tokens: number; largest: { name: string; tokens: number } };

/** Share of the room that is used after shortening, so that it is not needed again at the very next turn. */
const AIM = 0.6;
/** Characters that stay of a shortened result. */
const KEPT = 400;

/**
 * Keeps requests within a model's window, by estimate and before they are sent. Old tool results are shortened first,
 * the oldest first; those of the latest message only when that is not enough. What was shortened once stays so, which
 * keeps the prefix that a cache may hold. The same messages in the same order give the same requests.
 */
export class ContextWindow {
  private readonly room: number;
  private readonly prompt: Prompt;
  private readonly fixed: number;
  private readonly shortened = new Set<string>();

  /** `room` is what the window leaves for the request, in tokens; without one nothing is ever shortened. */
  constructor(prompt: Prompt, room: number | undefined) {
    this.prompt = prompt;
    this.room = room ?? Number.POSITIVE_INFINITY;
    this.fixed = estimateTokens([...prompt.system, JSON.stringify(prompt.tools)].join('\n'));
  }

  fit(messages: readonly Message[]): Fitted {
    const known = this.view(messages);
    const before = this.fixed + sizeOf(known);
    if (before <= this.room) return { fits: true, messages: known, shortened: [], before, after: before };
    const shortened: string[] = [];
    let after = before;
    for (const { result, isLatest } of candidatesOf(known, this.shortened)) {
      if (after <= (isLatest ? this.room : this.room * AIM)) break;
      this.shortened.add(result.id);
      shortened.push(result.id);
      after = this.fixed + sizeOf(this.view(messages));
    }
    if (after > this.room) return { fits: false, tokens: after, largest: this.largestPart(messages) };
    return { fits: true, messages: this.view(messages), shortened, before, after };
  }

  private view(messages: readonly Message[]): Message[] {
    return messages.map((message) => {
      if (message.role !== 'user') return message;
      const content = message.content.map((block) =>
        block.type === 'tool-result' && this.shortened.has(block.id) ? { ...block, text: shorten(block.text) } : block,
      );
      return { ...message, content };
    });
  }

  private largestPart(messages: readonly Message[]): { name: string; tokens: number } {
    const parts = [
      ...this.prompt.system.map((text, index) => ({ name: `part ${index + 1} of the system prompt`, tokens: estimateTokens(text) })),
      { name: 'the description of the tools', tokens: estimateTokens(JSON.stringify(this.prompt.tools)) },
      ...inputsOf(this.prompt.task),
      { name: 'the conversation', tokens: sizeOf(this.view(messages).slice(1)) },
    ];
    return parts.reduce((largest, part) => (part.tokens > largest.tokens ? part : largest));
  }
}

/** Inputs of the task by name, as the context template writes them, and the task as a whole where it has none. */
function inputsOf(task: string): { name: string; tokens: number }[] {
  const inputs = [...task.matchAll(/^<(file(?:-\d+)?) name="([^"\n]*)">\n([^]*?)^<\/\1>$/gm)].map(([text, , name = '']) => ({
    name,
    tokens: estimateTokens(text),
  }));
  const rest = estimateTokens(task) - inputs.reduce((sum, { tokens }) => sum + tokens, 0);
  return [...inputs, { name: 'the task', tokens: rest }];
}

interface Candidate {
  result: ToolResultBlock;
  isLatest: boolean;
}

/** Oldest first; within the latest message the longest first. */
function candidatesOf(messages: Message[], shortened: ReadonlySet<string>): Candidate[] {
  const worth = (message: Message): ToolResultBlock[] =>
    message.role !== 'user'
      ? []
      : message.content.filter(
          (block): block is ToolResultBlock => block.type === 'tool-result' && block.text.length > KEPT * 2 && !shortened.has(block.id),
        );
  const latest = messages.at(-1);
  const old = messages.slice(0, -1).flatMap((message) => worth(message).map((result) => ({ result, isLatest: false })));
  const last = latest ? worth(latest).map((result) => ({ result, isLatest: true })) : [];
  return [...old, ...last.toSorted((one, other) => other.result.text.length - one.result.text.length)];
}

function shorten(text: string): string {
  // Half a pair is nothing that a request may hold.
  const start = text.slice(0, KEPT).replace(/[\uD800-\uDBFF]$/, '');
  return `${start}\n[... ${text.length - start.length} characters left out to fit the context; call the tool again if you need them ...]`;
}

function sizeOf(messages: readonly Message[]): number {
  return estimateTokens(JSON.stringify(messages));
}
