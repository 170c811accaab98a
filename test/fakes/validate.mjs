// What a strict Messages API refuses before it asks any model.
import { checkTextBlock, isObject, nonEmptyString, objectWith, refuse, wellFormed } from './check.mjs';
import { checkMessages } from './conversation.mjs';

const COMMON = ['model', 'max_tokens', 'messages', 'system', 'tools', 'stop_sequences', 'stream'];
/** @type {Record<string, string[]>} */
const FIELDS = {
  anthropic: [...COMMON, 'tool_choice', 'thinking', 'output_config', 'cache_control', 'metadata', 'service_tier'],
  ollama: COMMON,
  'llama.cpp': [...COMMON, 'tool_choice'],
};
const TOOL_NAME = /^[a-zA-Z0-9_-]{1,128}$/;
const MOST_BREAKPOINTS = 4;
const TOOL_FIELDS =
  'type name description input_schema cache_control strict input_examples eager_input_streaming defer_loading allowed_callers';

/**
 * @param {unknown} body
 * @param {{ profile: string, headers: import('node:http').IncomingHttpHeaders, sent: Set<string> }} about
 */
export function validate(body, { profile, headers, sent }) {
  if (!isObject(body)) refuse('The request body is not valid JSON: expected an object');
  wellFormed(body, 'body');
  if (profile === 'anthropic' && headers['anthropic-version'] === undefined) refuse('anthropic-version: header is required');
  if (profile !== 'anthropic' && headers['anthropic-beta'] !== undefined) refuse('anthropic-beta: this server knows no betas');
  for (const key of Object.keys(body)) {
    if (FIELDS[profile]?.includes(key)) continue;
    refuse(/^(temperature|top_p|top_k)$/.test(key) ? `${key}: not supported by this model` : `${key}: Extra inputs are not permitted`);
  }
  nonEmptyString(body.model, 'model');
  if (!Number.isInteger(body.max_tokens) || body.max_tokens < 1)
    refuse('max_tokens: Input should be an integer greater than or equal to 1');
  checkMessages(body.messages, sent);
  checkSystem(body.system);
  checkTools(body.tools, profile);
  checkOptions(body, profile);
  checkBreakpoints(body, profile);
}

/** @param {unknown} system */
function checkSystem(system) {
  if (system === undefined || typeof system === 'string') return;
  if (!Array.isArray(system)) refuse('system: Input should be a valid string or a list of text blocks');
  system.forEach((block, place) => checkTextBlock(block, `system.${place}`));
}

/** @param {unknown} tools @param {string} profile */
function checkTools(tools, profile) {
  if (tools === undefined) return;
  if (!Array.isArray(tools)) refuse('tools: Input should be a valid list');
  const names = new Set();
  tools.forEach((tool, place) => {
    const at = `tools.${place}`;
    const { type, name, description, input_schema: schema } = objectWith(tool, TOOL_FIELDS.split(' '), at);
    if (type !== undefined && type !== 'custom') refuse(`${at}.type: Input should be 'custom'`);
    if (typeof name !== 'string' || !TOOL_NAME.test(name)) refuse(`${at}.name: String should match pattern '${TOOL_NAME.source}'`);
    if (names.has(name)) refuse(`tools: Tool names must be unique: ${name}`);
    names.add(name);
    if (typeof description !== 'string') refuse(`${at}.description: Input should be a valid string`);
    if (!isObject(schema) || schema.type !== 'object') refuse(`${at}.input_schema.type: Input should be 'object'`);
    if (profile === 'anthropic') checkSchemaTop(schema, `${at}.input_schema`);
    if (profile === 'llama.cpp') checkGrammar(schema, `${at}.input_schema`);
  });
}

/** @param {Record<string, any>} schema @param {string} at */
function checkSchemaTop(schema, at) {
  if (['oneOf', 'allOf', 'anyOf'].some((key) => key in schema)) refuse(`${at}: does not support oneOf, allOf, or anyOf at the top level`);
  for (const key of Object.keys(schema.properties ?? {}))
    if (!/^[a-zA-Z0-9_.-]{1,64}$/.test(key))
      refuse(`${at}.properties: Property keys should match pattern '^[a-zA-Z0-9_.-]{1,64}$': ${key}`);
}

/** Refuses what no grammar is built from. @param {unknown} schema @param {string} at */
function checkGrammar(schema, at) {
  if (typeof schema !== 'object' || schema === null) return;
  for (const [key, value] of Object.entries(schema)) {
    const place = `${at}.${key}`;
    if (['$schema', '$ref', 'patternProperties'].includes(key)) refuse(`${place}: no grammar can be built from it`);
    if (key === 'pattern' && typeof value === 'string' && value.includes('(?')) refuse(`${place}: no grammar can be built from lookaheads`);
    // Below these stand names and data, not keywords.
    if (['enum', 'const', 'default', 'examples'].includes(key)) continue;
    if (['properties', '$defs', 'definitions'].includes(key) && isObject(value))
      for (const [name, inner] of Object.entries(value)) checkGrammar(inner, `${place}.${name}`);
    else checkGrammar(value, place);
  }
}

/** @param {Record<string, any>} body @param {string} profile */
function checkOptions(body, profile) {
  const { stream, stop_sequences: stops, tool_choice: choice, thinking, output_config: output, metadata, service_tier: tier } = body;
  if (stream !== undefined && typeof stream !== 'boolean') refuse('stream: Input should be a valid boolean');
  if (stops !== undefined && !(Array.isArray(stops) && stops.every((one) => typeof one === 'string')))
    refuse('stop_sequences: Input should be a list of strings');
  if (choice !== undefined) checkChoice(choice, body.tools, profile);
  if (thinking !== undefined) {
    const { type, display } = objectWith(thinking, thinking?.type === 'adaptive' ? ['type', 'display'] : ['type'], 'thinking');
    if (!['adaptive', 'between_tools'].includes(type)) refuse("thinking.type: Input should be 'adaptive' or 'between_tools'");
    if (display !== undefined && !['summarized', 'omitted'].includes(display))
      refuse("thinking.display: Input should be 'summarized' or 'omitted'");
  }
  if (output !== undefined) {
    const { effort, format } = objectWith(output, ['effort', 'format'], 'output_config');
    if (effort !== undefined && !['low', 'medium', 'high', 'xhigh', 'max'].includes(effort)) refuse('output_config.effort: unknown effort');
    if (format !== undefined && !(isObject(format) && format.type === 'json_schema' && isObject(format.schema)))
      refuse("output_config.format: Input should be an object of type 'json_schema' with a schema");
  }
  if (metadata !== undefined) objectWith(metadata, ['user_id'], 'metadata');
  if (tier !== undefined && !['auto', 'standard_only'].includes(tier)) refuse("service_tier: Input should be 'auto' or 'standard_only'");
}

/** @param {any} choice @param {unknown} tools @param {string} profile */
function checkChoice(choice, tools, profile) {
  if (['any', 'tool'].includes(choice?.type)) refuse('tool_choice: forced tool_choice is not supported by this model');
  const isKnown = choice?.type === 'auto' || (choice?.type === 'none' && profile === 'anthropic');
  if (!isKnown) refuse('tool_choice.type: unknown choice');
  objectWith(choice, profile === 'anthropic' && choice.type === 'auto' ? ['type', 'disable_parallel_tool_use'] : ['type'], 'tool_choice');
  if (tools === undefined) refuse('tool_choice: may only be specified while providing tools');
}

/** @param {Record<string, any>} body @param {string} profile */
function checkBreakpoints(body, profile) {
  /** @type {any[]} */
  const holders = [body, ...(body.tools ?? []), ...(Array.isArray(body.system) ? body.system : [])];
  for (const { content } of body.messages) {
    if (typeof content === 'string') continue;
    holders.push(...content);
    for (const block of content) if (block.type === 'tool_result' && Array.isArray(block.content)) holders.push(...block.content);
  }
  const found = holders.map((holder) => holder.cache_control).filter((one) => one !== undefined && one !== null);
  if (found.length > 0 && profile !== 'anthropic') refuse('cache_control: this server has no prompt cache');
  for (const one of found) {
    const { type, ttl } = objectWith(one, ['type', 'ttl'], 'cache_control');
    if (type !== 'ephemeral') refuse("cache_control.type: Input should be 'ephemeral'");
    if (ttl !== undefined && !['5m', '1h'].includes(ttl)) refuse("cache_control.ttl: Input should be '5m' or '1h'");
  }
  if (found.length > MOST_BREAKPOINTS)
    refuse(`A maximum of ${MOST_BREAKPOINTS} blocks with cache_control may be provided. Found ${found.length}.`);
}
