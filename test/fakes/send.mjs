// Answers as the Messages API words them.
import { estimateInput, estimateOutput } from './cache.mjs';

/**
 * The whole message, with what its writer left out; `input` is what a prompt cache says of the prompt.
 * @param {any} given
 * @param {{ body: any, index: number, profile: string, input: object | undefined }} about
 */
export function messageOf(given, { body, index, profile, input }) {
  const { content, stop_reason, stop_sequence = null, stop_details, id = `msg_fake_${index}`, model = body.model } = given;
  const wants = content.some((/** @type {any} */ { type }) => type === 'tool_use') ? 'tool_use' : 'end_turn';
  const usage = {
    input_tokens: estimateInput(body),
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
    output_tokens: estimateOutput(content),
    ...given.usage,
    ...input,
  };
  if (profile !== 'anthropic') {
    delete usage.cache_creation_input_tokens;
    delete usage.cache_read_input_tokens;
  }
  const head = { id, type: 'message', role: 'assistant', model, content, stop_reason: stop_reason ?? wants, stop_sequence };
  return { ...head, ...(stop_details === undefined ? {} : { stop_details }), usage };
}

/** @param {import('node:http').ServerResponse} res @param {string} profile @param {{ status: number, type: string, message: string }} what */
export function sendError(res, profile, { status, type, message }) {
  const error = { type, message };
  if (profile === 'llama.cpp') return sendJson(res, status, { error: { code: status, message, type } });
  if (profile === 'ollama') return sendJson(res, status, { type: 'error', error });
  return sendJson(res, status, { type: 'error', error, request_id: res.getHeader('request-id') });
}

/** @param {import('node:http').ServerResponse} res @param {number} status @param {unknown} json */
export function sendJson(res, status, json) {
  if (!res.hasHeader('content-type')) res.setHeader('content-type', 'application/json');
  res.writeHead(status).end(JSON.stringify(json));
}

/** @param {import('node:http').ServerResponse} res @param {number} status */
export function beginEvents(res, status) {
  if (!res.hasHeader('content-type')) res.setHeader('content-type', 'text/event-stream; charset=utf-8');
  if (!res.hasHeader('cache-control')) res.setHeader('cache-control', 'no-cache');
  res.statusCode = status;
}
