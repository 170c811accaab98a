import type { IncomingHttpHeaders } from 'node:http';

export type Profile = 'anthropic' | 'ollama' | 'llama.cpp';

export interface MessageAnswer {
  content: Record<string, any>[];
  /** Follows from the content if left out. */
  stop_reason?: string | null;
  stop_sequence?: string | null;
  stop_details?: unknown;
  id?: string;
  model?: string;
  usage?: Record<string, unknown>;
  /** Milliseconds before the first byte. */
  delay?: number;
  /** Milliseconds over which the stream is spread. */
  modelTime?: number;
}

/** One of `json`, `sse`, `text` and `hang`. */
export interface ScriptedAnswer {
  /** 200 if left out. */
  status?: number;
  headers?: Record<string, string>;
  /** Sent as it is; a message is streamed to whoever asks for a stream. */
  json?: unknown;
  /** Sends a message as JSON though a stream was asked for. */
  asJson?: boolean;
  /** Events, "PING", "CUT", "STALL" or `{ eof: true }`. */
  sse?: unknown[];
  text?: string;
  contentType?: string;
  /** No headers, ever. */
  hang?: boolean;
  delay?: number;
  modelTime?: number;
}

export type Answer = MessageAnswer | ScriptedAnswer;

export interface CacheOptions {
  /** Fewest tokens that are cached; 1024 if left out. */
  minimum?: number;
  /** Milliseconds; five minutes if left out. */
  ttl?: number;
  /** 4 if left out. */
  charactersPerToken?: number;
}

export interface MessagesApiOptions {
  /** What to answer the index-th POST to /v1/messages, refused ones counted. */
  answer: (body: any, index: number, headers: IncomingHttpHeaders) => Answer | Promise<Answer>;
  profile?: Profile;
  key?: string | undefined;
  cache?: CacheOptions | undefined;
  pace?: { modelTime?: number } | undefined;
}

export interface ReceivedRequest {
  headers: IncomingHttpHeaders;
  /** As text if it was no JSON or was refused for its key. */
  body: any;
  /** When it arrived, by `performance.now()`. */
  at: number;
  /** The client went away before the answer ended. */
  aborted: boolean;
}

export interface MessagesApi {
  url: string;
  /** Every POST to /v1/messages, in order of arrival. */
  requests: ReceivedRequest[];
  /** What `answer` threw, or why its answer could not be sent. */
  failures: string[];
  /** Why requests were refused before `answer` was asked. */
  refusals: string[];
  close(): Promise<void>;
}

export function startMessagesApi(options: MessagesApiOptions): Promise<MessagesApi>;
