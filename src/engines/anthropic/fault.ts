import type { StopKind } from '../../model/failure.ts';

/** What went wrong with one request, as far as it decides what to do next. */
export interface Fault {
  kind: StopKind | 'context-overflow';
  /** One sentence without a key in it. */
  message: string;
  /** Whether the same request may be answered a moment later. */
  retry: boolean;
  /** Milliseconds the server asks to wait. */
  after?: number;
}

/** An error as the server tells it, by status or as an event of a stream. */
export interface ServerError {
  status?: number | undefined;
  /** `error.type` and `error.details.error_code` of the body, where it is JSON of the API. */
  type?: string | undefined;
  code?: string | undefined;
  message: string;
  header: (name: string) => string | null;
}

const OVERFLOWS = new Set([
  'prompt_too_long',
  'model_context_window_exceeded',
  'request_too_large',
  'content_too_large',
  'exceed_context_size_error',
]);

const BY_TYPE: Record<string, Pick<Fault, 'kind' | 'retry'>> = {
  invalid_request_error: { kind: 'request', retry: false },
  authentication_error: { kind: 'auth', retry: false },
  permission_error: { kind: 'auth', retry: false },
  not_found_error: { kind: 'request', retry: false },
  billing_error: { kind: 'spend-limit', retry: false },
  rate_limit_error: { kind: 'rate-limit', retry: true },
  timeout_error: { kind: 'overload', retry: true },
  api_error: { kind: 'overload', retry: true },
  overloaded_error: { kind: 'overload', retry: true },
};

/** Judges by status, type and code, never by the words of a message. `now` is in milliseconds of the wall clock. */
export function faultOf(error: ServerError, now: number): Fault {
  const { kind, retry } = kindOf(error);
  const should = error.header('x-should-retry');
  const after = retryAfter(error, now);
  return {
    kind,
    retry: kind === 'context-overflow' || kind === 'spend-limit' ? false : should === 'true' || (should !== 'false' && retry),
    message: `The server answered ${error.status ?? 'an error'}${error.type === undefined ? '' : ` ${error.type}`}: ${firstLine(error.message)}`,
    ...(after !== undefined && { after }),
  };
}

function kindOf({ status, type = '', code = '' }: ServerError): Pick<Fault, 'kind' | 'retry'> {
  if (OVERFLOWS.has(code) || OVERFLOWS.has(type) || status === 413) return { kind: 'context-overflow', retry: false };
  if (status === 402 || code.endsWith('spend_limit_reached')) return { kind: 'spend-limit', retry: false };
  if (status === undefined) return BY_TYPE[type] ?? { kind: 'overload', retry: true };
  if (status === 401 || status === 403) return { kind: 'auth', retry: false };
  if (status === 429) return { kind: 'rate-limit', retry: true };
  if (status >= 500 || status === 408 || status === 409) return { kind: 'overload', retry: true };
  return { kind: 'request', retry: false };
}

/** `retry-after-ms`, or `retry-after` in seconds or as a date. */
function retryAfter({ header }: ServerError, now: number): number | undefined {
  const milliseconds = Number.parseFloat(header('retry-after-ms') ?? '');
  if (milliseconds >= 0) return milliseconds;
  const given = header('retry-after');
  if (given === null || given.trim() === '') return undefined;
  const seconds = Number(given);
  if (!Number.isNaN(seconds)) return Math.max(0, seconds * 1000);
  const date = Date.parse(given);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

export interface WaitPolicy {
  /** How often one turn is asked for again. */
  retries: number;
  /** A longer wait than this many milliseconds parks the run. */
  longest: number;
  /** The first wait in milliseconds; each further one is twice as long. */
  first: number;
}

/**
 * Milliseconds until the next try, or none when it is not worth it. Doubles up to the longest wait; a quarter of it is
 * left to chance (`random` gives 0 to 1), so that many runs do not come back at the same moment.
 */
export function nextWait(fault: Fault, tries: number, { retries, longest, first }: WaitPolicy, random: () => number): number | undefined {
  if (!fault.retry || tries > retries) return undefined;
  const doubled = Math.min(longest, first * 2 ** (tries - 1));
  // Never sooner than the server asks, and never at once.
  if (fault.after !== undefined)
    return fault.after > longest ? undefined : Math.round(Math.max(fault.after, first / 4) * (1 + random() / 4));
  return Math.round(doubled * (1 - random() / 4));
}

function firstLine(text: string): string {
  const line = text.trim().split('\n')[0] ?? '';
  return line.length > 300 ? `${line.slice(0, 300)}…` : line;
}
