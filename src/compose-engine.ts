import { readFile } from 'node:fs/promises';
import { isAbsolute, relative, resolve, sep } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { EngineError, UsageError } from './errors.ts';
import { isBaseUrl, type Config } from './config/schema.ts';
import { DEFAULT_BASE_URL, ENDPOINTS, endpointOf, isAnthropicHost, type Capabilities } from './engines/anthropic/capabilities.ts';
import { createMessagesApiEngine } from './engines/anthropic/provider.ts';
import { createTransport } from './engines/anthropic/transport.ts';
import { createTranscriptEngine, parseTranscript } from './engines/transcript/transcript.ts';
import type { RunOptions } from './model/api.ts';
import type { Engine, Provider } from './model/engine.ts';
import { randomHex, systemClock } from './util/process.ts';

export interface EngineRequest {
  root: string;
  options: RunOptions;
  /** Name of the engine an earlier command of this run used. */
  recorded: string | undefined;
  config: Config;
  env: Record<string, string | undefined>;
  redact: (text: string) => string;
  /** Told what was chosen without being asked for. */
  say: (text: string) => void;
}

const DEFAULT_MODEL = 'claude-sonnet-5-5';
const KEY_VARIABLES = ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN'];

/**
 * The engine a person named: by option, by configuration, by what the run began with, or by a key in the environment.
 * @throws UsageError for a name that is none, EngineError without a key for an API that needs one.
 */
export async function makeEngine(choice: EngineRequest): Promise<Engine | undefined> {
  const { options, config, recorded, env } = choice;
  const spoken = options.engine ?? config.engine ?? recorded ?? (keyOf(choice) === undefined ? undefined : 'anthropic');
  if (spoken === undefined) return undefined;
  const [kind = '', ...rest] = spoken.split(':');
  const place = rest.join(':').trim();
  if (kind === 'transcript' && place !== '') return makeTranscript(choice, place);
  if (kind === 'anthropic' && (place === '' || isBaseUrl(place))) {
    const engine = makeMessagesApi(choice, spoken, place);
    const isAsked = options.engine ?? config.engine ?? recorded;
    if (isAsked === undefined) choice.say(`engine anthropic with ${engine.model}, because ${variableOf(choice, env)} is set`);
    return engine;
  }
  throw new UsageError(`Unexpected engine ${JSON.stringify(spoken)}, expected anthropic, anthropic:<base URL> or transcript:<file>.`, {
    hint: 'e.g. --engine anthropic, or --engine transcript:replies.yaml',
  });
}

function makeMessagesApi(choice: EngineRequest, name: string, place: string): Provider {
  const { options, config, env, redact } = choice;
  const own = config.anthropic;
  const baseUrl = baseUrlOf(choice, place);
  const named = options.model ?? own.model ?? (env['ANTHROPIC_MODEL']?.trim() || undefined);
  if (named === undefined && !isAnthropicHost(baseUrl) && baseUrl !== fromEnvironment(env)) {
    throw new UsageError(`Which model does ${baseUrl} serve?`, {
      hint: 'Name it with --model <id>, or as model: below anthropic: in .blueprint/config.yaml.',
    });
  }
  const model = named ?? DEFAULT_MODEL;
  const endpoint = own.endpoint ?? endpointOf(baseUrl, model);
  const { contextWindow, maxOutput, promptCache, thinking } = own;
  const capabilities: Capabilities = {
    ...ENDPOINTS[endpoint],
    ...(contextWindow !== undefined && { contextWindow }),
    ...(maxOutput !== undefined && { maxOutput }),
    ...(promptCache !== undefined && { promptCache }),
    ...(thinking !== undefined && { thinking }),
  };
  if (capabilities.maxOutput >= capabilities.contextWindow) {
    throw new UsageError(
      `Expected maxOutput below contextWindow, got ${capabilities.maxOutput} and ${capabilities.contextWindow} tokens.`,
      { place: '.blueprint/config.yaml', hint: 'Set both below anthropic:.' },
    );
  }
  const key = keyOf(choice);
  if (key === undefined && isAnthropicHost(baseUrl)) {
    throw new EngineError(`There is no key for ${baseUrl}.`, {
      kind: 'auth',
      hint: `Set ${own.keyVariable ?? 'ANTHROPIC_API_KEY'} in the environment; a key is never read from a file of the project.`,
    });
  }
  const effort = options.effort ?? own.effort;
  return createMessagesApiEngine({
    name,
    baseUrl,
    model,
    capabilities,
    redact,
    send: createTransport({
      baseUrl,
      key,
      bothHeaders: !isAnthropicHost(baseUrl),
      idle: own.idleSeconds * 1000,
      now: () => systemClock.now(),
    }),
    policy: { retries: own.retries, longest: own.longestWaitSeconds * 1000, first: 1000 },
    wait,
    random: () => Number.parseInt(randomHex(4), 16) / 0xffff_ffff,
    ...(effort !== undefined && { effort }),
  });
}

/**
 * Where requests go: to the place that is part of the engine's name, else where the environment says, else where the
 * configuration does. A project's file may send them to this machine or to Anthropic; anywhere else a key would go to a
 * host that only the project names, so a person has to name it.
 */
function baseUrlOf(choice: EngineRequest, place: string): string {
  const { options, config, env, recorded } = choice;
  const spoken = fromEnvironment(env);
  const isNamed = options.engine !== undefined || (config.engine === undefined && recorded !== undefined);
  if (place !== '' && isNamed) return withoutSlash(place);
  if (place === '' && spoken !== undefined) return spoken;
  const written = withoutSlash(place === '' ? (config.anthropic.baseUrl ?? DEFAULT_BASE_URL) : place);
  const isSafe = isLoopback(written) || (isAnthropicHost(written) && written.startsWith('https:'));
  if (!isSafe && written !== spoken && keyOf(choice) !== undefined) {
    throw new UsageError(`The project sends requests to ${written}; a key is not given to a host that only a project's file names.`, {
      hint: `If that is right, say so with ANTHROPIC_BASE_URL=${written}, or with --engine anthropic:${written}`,
    });
  }
  return written;
}

function fromEnvironment(env: EngineRequest['env']): string | undefined {
  const spoken = env['ANTHROPIC_BASE_URL']?.trim() ?? '';
  if (spoken === '') return undefined;
  if (!isBaseUrl(spoken)) throw new UsageError('Expected a base URL in ANTHROPIC_BASE_URL, got something else.');
  return withoutSlash(spoken);
}

function withoutSlash(url: string): string {
  return url.replace(/\/+(?:v1\/?)?$/, '').replace(/\/v1$/, '');
}

function isLoopback(url: string): boolean {
  const { hostname } = new URL(url);
  return hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d+){3}$/.test(hostname);
}

function keyOf(choice: Pick<EngineRequest, 'config' | 'env'>): string | undefined {
  const variable = variableOf(choice, choice.env);
  const key = variable === undefined ? undefined : choice.env[variable]?.trim();
  if (key === undefined || key === '') return undefined;
  // A header holds nothing else, and the error that says so would hold the key.
  if (!/^[\x21-\x7e]+$/.test(key))
    throw new UsageError(`Expected a key in ${variable}, got something with blanks or other characters in it.`);
  return key;
}

function variableOf({ config }: Pick<EngineRequest, 'config'>, env: EngineRequest['env']): string | undefined {
  return config.anthropic.keyVariable ?? KEY_VARIABLES.find((name) => (env[name] ?? '').trim() !== '');
}

/** An option's file is meant from where the person is; the configuration's and a recorded one from the project root. */
async function makeTranscript({ root, options }: EngineRequest, place: string): Promise<Engine> {
  const path = isAbsolute(place) ? place : resolve(options.engine === undefined ? root : options.cwd, place);
  const inside = relative(root, path);
  const shown = inside.startsWith('..') || isAbsolute(inside) ? path : inside.split(sep).join('/');
  if (options.model !== undefined || options.effort !== undefined) {
    throw new UsageError('Unexpected --model or --effort: a transcript has no model.');
  }
  const text = await readFile(path, 'utf8').catch((cause: unknown) => {
    throw new UsageError(`Transcript ${path} cannot be read.`, { cause, hint: 'Name an existing file: --engine transcript:<file>.' });
  });
  return createTranscriptEngine({ name: `transcript:${shown}`, file: shown, entries: parseTranscript(text, shown), wait });
}

function wait(milliseconds: number, signal: AbortSignal): Promise<void> {
  return sleep(milliseconds, undefined, { signal }).catch(() => signal.throwIfAborted());
}
