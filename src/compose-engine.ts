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

export interface EngineChoice {
  root: string;
  options: Pick<RunOptions, 'engine' | 'model' | 'effort' | 'cwd'>;
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
export async function makeEngine(choice: EngineChoice): Promise<Engine | undefined> {
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

function makeMessagesApi(choice: EngineChoice, name: string, place: string): Provider {
  const { options, config, env, redact } = choice;
  const own = config.anthropic;
  const model = options.model ?? own.model ?? env['ANTHROPIC_MODEL'] ?? DEFAULT_MODEL;
  const baseUrl = baseUrlOf(choice, place);
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
 * Where requests go. A project's file may send them to this machine or to Anthropic; anywhere else a key would go to a
 * host that only the project names, so a person has to name it.
 */
function baseUrlOf(choice: EngineChoice, place: string): string {
  const { options, config, env } = choice;
  const isOptions = options.engine !== undefined && place !== '';
  const spoken = isOptions ? place : env['ANTHROPIC_BASE_URL'];
  if (spoken !== undefined && spoken !== '') {
    if (!isBaseUrl(spoken)) throw new UsageError('Expected a base URL in ANTHROPIC_BASE_URL, got something else.');
    return withoutSlash(spoken);
  }
  const written = place === '' ? (config.anthropic.baseUrl ?? DEFAULT_BASE_URL) : place;
  if (!isAnthropicHost(written) && !isLoopback(written) && keyOf(choice) !== undefined) {
    throw new UsageError(`The project sends requests to ${written}; a key is not given to a host that only a project's file names.`, {
      hint: `If that is right, say so with ANTHROPIC_BASE_URL=${written}, or with --engine anthropic:${written}`,
    });
  }
  return withoutSlash(written);
}

function withoutSlash(url: string): string {
  return url.replace(/\/+(?:v1\/?)?$/, '').replace(/\/v1$/, '');
}

function isLoopback(url: string): boolean {
  const { hostname } = new URL(url);
  return hostname === 'localhost' || hostname === '[::1]' || hostname.startsWith('127.');
}

function keyOf(choice: Pick<EngineChoice, 'config' | 'env'>): string | undefined {
  const variable = variableOf(choice, choice.env);
  const key = variable === undefined ? undefined : choice.env[variable]?.trim();
  return key === '' ? undefined : key;
}

function variableOf({ config }: Pick<EngineChoice, 'config'>, env: EngineChoice['env']): string | undefined {
  return config.anthropic.keyVariable ?? KEY_VARIABLES.find((name) => (env[name] ?? '').trim() !== '');
}

/** An option's file is meant from where the person is; the configuration's and a recorded one from the project root. */
async function makeTranscript({ root, options }: EngineChoice, place: string): Promise<Engine> {
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
