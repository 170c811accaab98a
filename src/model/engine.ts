/** One piece of a reply. `opaque` is whatever an engine must get back unchanged (signed thinking). */
export type Block = { type: 'text'; text: string } | ToolCallBlock | { type: 'opaque'; data: unknown };

export interface ToolCallBlock {
  type: 'tool-call';
  id: string;
  name: string;
  input: unknown;
  /** Why the input cannot be used: it was cut off, or is no JSON. Such a call is answered with this and never run. */
  fault?: string;
}

export interface ToolResultBlock {
  type: 'tool-result';
  /** Id of the call it answers. */
  id: string;
  text: string;
  isError: boolean;
}

export type Message =
  { role: 'user'; content: (ToolResultBlock | { type: 'text'; text: string })[] } | { role: 'assistant'; content: Block[] };

/** What a model is told of a tool: JSON Schema for its input. */
export interface ToolDescription {
  name: string;
  description: string;
  inputSchema: Record<string, unknown>;
}

/** Everything a stage starts from; stored as a blob, so that a resumed attempt goes on with the same one. */
export interface Prompt {
  /** Parts in order: the prefix shared by all roles, then the role. */
  system: string[];
  /** What to do at this stage, with its context. */
  task: string;
  tools: ToolDescription[];
}

/** Tokens. Input is the part not read from a cache. */
export interface Usage {
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
}

export type StopReason = 'end' | 'tool-calls' | 'truncated' | 'refusal' | 'context-overflow';

export interface Reply {
  content: Block[];
  stop: StopReason;
  usage: Usage;
  /** What the engine says of the stop, e.g. the category of a refusal. */
  detail?: string;
}

/** Names one turn of one attempt; the only thing a stateless engine may key on. */
export interface TurnKey {
  step: string;
  attempt: number;
  turn: number;
}

/** One reply and the turn it was given in. */
export interface RecordedTurn {
  key: TurnKey;
  reply: Reply;
}

export interface TurnRequest {
  key: TurnKey;
  system: string[];
  messages: Message[];
  tools: ToolDescription[];
  /** Model and effort of this role, where they differ from the engine's own. */
  model?: string;
  effort?: Effort;
}

export type Effort = 'low' | 'medium' | 'high' | 'xhigh' | 'max';

/** What is arriving, for people; never part of the result. */
export interface ReplyProgress {
  kind: 'thinking' | 'text' | 'tool-call';
  /** Name of the tool that is being called. */
  tool?: string;
  /** Characters of this piece so far. */
  characters: number;
}

export interface EngineContext {
  /** Aborted when the run must stop. The engine then rejects with the signal's reason. */
  signal: AbortSignal;
  onProgress?: (progress: ReplyProgress) => void;
  /** Told before the engine waits to ask again. */
  /** Told when a try has broken off, with the tokens it has used as far as that can be known. */
  onLost?: (usage: Usage) => Promise<void>;
  onWait?: (wait: { reason: string; milliseconds: number }) => void;
}

/**
 * Answers turn by turn.
 *
 * `complete` never prints, never touches the project and never retries for reasons that the caller can see in the reply;
 * what the network or the server did wrong it retries itself, a bounded number of times. It rejects with `EngineError`
 * when the engine cannot be used at all, with `ParkedError` when only time or a person helps (a limit, an overload that
 * stays), with the abort reason when the signal fires, and with nothing else. What the model did wrong (refusal,
 * truncation, a bad tool input) is in the reply.
 */
export interface Provider {
  kind: 'provider';
  /** As a person names it, e.g. `transcript:replies.yaml`. */
  name: string;
  /** Model behind it, where there is one. */
  model?: string;
  /** Tokens that a request and its reply may hold together, and how many of them are kept for the reply. */
  window?: { total: number; reply: number };
  complete(request: TurnRequest, context: EngineContext): Promise<Reply>;
}

/** A whole attempt for an engine that brings its own loop and its own tools. */
export interface HarnessJob {
  key: Omit<TurnKey, 'turn'>;
  prompt: Prompt;
  /** Absolute path of the project root. */
  workspace: string;
  /** Kind to hand in. */
  kind: string;
  /** Hands in a submission; the answer says whether it was accepted and, if not, what to mend. */
  submit(submission: Submission): Promise<SubmissionAnswer>;
}

/**
 * Does the whole job of a stage. `perform` never prints. Rejects like `Provider.complete`. It hands in by calling
 * `job.submit`, any number of times, and returns after the first accepted one or when it gives up.
 */
export interface Harness {
  kind: 'harness';
  name: string;
  model?: string;
  perform(job: HarnessJob, context: EngineContext): Promise<{ usage: Usage; turns: number }>;
}

export type Engine = Provider | Harness;

/** What a role hands in: typed data, or the Markdown files that a harness wrote. */
export type Submission =
  { kind: string; data: unknown } | { kind: string; markdown: string[]; files?: { path: string; content: string }[] };

export interface SubmissionAnswer {
  accepted: boolean;
  /** For the role: "accepted", or the findings one per line. */
  text: string;
}

export const NO_USAGE: Usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

/** Adds to a sum, in place. */
export function addUsage(sum: Usage, more: Usage): void {
  for (const kind of ['input', 'output', 'cacheRead', 'cacheWrite'] as const) sum[kind] += more[kind];
}

/** With some models, turns with a prompt of more tokens than this have a price of their own. */
export const LONG_PROMPT = 100_000;
