import { addEvent, emptyMessage, wholeMessage, type RawMessage } from './accumulate.ts';
import { faultOf, type Fault } from './fault.ts';
import { watchIdle, type IdleWatch } from './idle-watch.ts';
import type { RequestBody } from './request.ts';
import type { ReplyProgress } from '../../model/engine.ts';

export interface TransportOptions {
  /** Without `/v1`. */
  baseUrl: string;
  /** Sent as a bearer token; servers on this machine often want none. */
  key: string | undefined;
  /** Also sent as `x-api-key`, which older gateways read. */
  bothHeaders: boolean;
  /** Milliseconds without a byte after which a request is given up. */
  idle: number;
  /** Milliseconds of the wall clock. */
  now: () => number;
}

/** How one request ended. What had arrived before a fault is paid for and of no other use. */
export type Outcome = { ok: true; message: RawMessage } | { ok: false; fault: Fault; partial: RawMessage };

export type Send = (
  body: RequestBody,
  context: { signal: AbortSignal; onProgress?: (progress: ReplyProgress) => void },
) => Promise<Outcome>;

/**
 * Makes the one function that sends a request, once: whether to try again is decided by the caller, so the SDK's own
 * retries are off. It resolves for everything that happens, also when the signal fires: what had arrived is paid for.
 */
export function createTransport(options: TransportOptions): Send {
  let loading: Promise<Sdk> | undefined;
  return async (body, { signal, onProgress }) => {
    const partial = emptyMessage();
    const sdk = await (loading ??= load(options));
    const watch = watchIdle(options.idle, signal);
    try {
      const response = await sdk.open(body, watch.signal);
      watch.touch();
      return await read(response, { sdk, partial, watch, onProgress, now: options.now });
    } catch (error) {
      if (signal.aborted) return { ok: false, partial, fault: broken('It was stopped.') };
      return { ok: false, partial, fault: watch.isStalled() ? stalled(options.idle) : await thrown(error, options.now()) };
    } finally {
      watch.end();
    }
  };
}

interface Sdk {
  open(body: RequestBody, signal: AbortSignal): Promise<Response>;
  events(response: Response): AsyncIterable<{ data: string }>;
}

/** Loaded with the first request: it is the heaviest package of all, and other engines do without. */
async function load({ baseUrl, key, bothHeaders }: TransportOptions): Promise<Sdk> {
  const [{ Anthropic }, { Stream }] = await Promise.all([import('@anthropic-ai/sdk/client'), import('@anthropic-ai/sdk/core/streaming')]);
  const client = new Anthropic({
    baseURL: baseUrl,
    // Everything it would else look for in the environment or on disk is said here.
    apiKey: key ?? 'none',
    authToken: null,
    maxRetries: 0,
    timeout: 3_600_000,
    logLevel: 'off',
    openTelemetry: false,
    // Before those of ANTHROPIC_CUSTOM_HEADERS, which the SDK adds by itself.
    defaultHeaders: {
      ...(key !== undefined && { authorization: `Bearer ${key}` }),
      ...(bothHeaders && key !== undefined && { 'x-api-key': key }),
    },
  });
  return {
    open: (body, signal) =>
      client.messages.create(body as unknown as Parameters<typeof client.messages.create>[0], { signal }).asResponse(),
    events: (response) => Stream.rawEvents(response),
  };
}

interface Reading {
  sdk: Sdk;
  partial: RawMessage;
  watch: IdleWatch;
  onProgress: ((progress: ReplyProgress) => void) | undefined;
  now: () => number;
}

async function read(response: Response, { sdk, partial, watch, onProgress, now }: Reading): Promise<Outcome> {
  const kind = response.headers.get('content-type') ?? '';
  if (/json/.test(kind)) return fromJson(JSON.parse(await response.text()) as Record<string, unknown>, response, now());
  if (!/event-stream/.test(kind)) return { ok: false, partial, fault: noStream(kind, await response.text()) };
  for await (const { data } of sdk.events(watched(response, watch))) {
    const event = parseEvent(data);
    if (event?.['type'] === 'error') return { ok: false, partial, fault: eventFault(event, response, now()) };
    const progress = addEvent(partial, event);
    if (progress) onProgress?.(progress);
    // What a server keeps open behind the end is not waited for.
    if (partial.isComplete) return { ok: true, message: partial };
  }
  return { ok: false, partial, fault: broken('The stream ended before the reply was complete.') };
}

/** A stream whose every byte counts as a sign of life; pings too. */
function watched(response: Response, watch: IdleWatch): Response {
  const body = response.body?.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform: (chunk, controller) => {
        watch.touch();
        controller.enqueue(chunk);
      },
    }),
  );
  return new Response(body ?? null, { headers: response.headers });
}

function fromJson(value: Record<string, unknown>, response: Response, now: number): Outcome {
  if (value['type'] === 'message') return { ok: true, message: wholeMessage(value) };
  return { ok: false, partial: emptyMessage(), fault: eventFault(value, response, now) };
}

function parseEvent(data: string): Record<string, unknown> | undefined {
  const value: unknown = JSON.parse(data);
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
}

function eventFault(event: Record<string, unknown>, response: Response, now: number): Fault {
  const error = (event['error'] ?? {}) as { type?: string; message?: unknown; details?: { error_code?: string } };
  const message = typeof error.message === 'string' ? error.message : JSON.stringify(event).slice(0, 300);
  return faultOf({ type: error.type, code: error.details?.error_code, message, header: (name) => response.headers.get(name) }, now);
}

async function thrown(error: unknown, now: number): Promise<Fault> {
  const { APIError } = await import('@anthropic-ai/sdk/core/error');
  if (error instanceof APIError && error.status !== undefined) {
    const { status, type, errorCode, apiMessage, headers } = error as InstanceType<typeof APIError>;
    const message = apiMessage ?? (type === null ? 'no message of the API' : String(type));
    return faultOf(
      { status, type: type ?? undefined, code: errorCode ?? undefined, message, header: (name) => headers?.get(name) ?? null },
      now,
    );
  }
  return broken(reasonOf(error));
}

/** The innermost cause says most: "ECONNREFUSED", not "fetch failed". */
function reasonOf(error: unknown): string {
  let innermost = error;
  for (let depth = 0; innermost instanceof Error && innermost.cause instanceof Error && depth < 5; depth += 1) innermost = innermost.cause;
  return `The connection failed: ${innermost instanceof Error ? innermost.message || innermost.name : String(innermost)}`;
}

function broken(message: string): Fault {
  return { kind: 'network', retry: true, message };
}

function stalled(idle: number): Fault {
  return broken(`Nothing arrived for ${idle / 1000} s.`);
}

/** A page of a proxy, or a wrong base URL: asking again gives the same. */
function noStream(kind: string, text: string): Fault {
  const title = /<title[^>]*>([^<]{0,100})/i.exec(text)?.[1]?.trim();
  const what = `${kind === '' ? 'an answer without a type' : kind.split(';')[0]}${title ? ` ("${title}")` : ''}`;
  return { kind: 'request', retry: false, message: `Expected a stream of the Messages API, got ${what}; is the base URL right?` };
}
