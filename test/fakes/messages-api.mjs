// A strict fake of the Messages API on 127.0.0.1: refuses what the real one refuses, says what a test tells it to say.
import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeCache } from './cache.mjs';
import { Refusal, keyOf, parseBody } from './check.mjs';
import { beginEvents, messageOf, sendError, sendJson } from './send.mjs';
import { blocksFrom, eventsOf, writeEvents } from './stream.mjs';
import { validate } from './validate.mjs';

/** Recorded headers that told of the recorded bytes, not of these. */
const OF_THE_WIRE = /^(content-length|content-encoding|transfer-encoding|connection)$/i;

/**
 * Starts a server on a port of its own. `requests` are the POSTs to /v1/messages, `refusals` what was refused before
 * `answer` was asked, `failures` what `answer` threw or could not be sent.
 * @param {import('./messages-api.mjs').MessagesApiOptions} options
 * @returns {Promise<import('./messages-api.mjs').MessagesApi>}
 */
export async function startMessagesApi({ answer, profile = 'anthropic', key, cache, pace }) {
  /** @type {import('./messages-api.mjs').ReceivedRequest[]} */
  const requests = [];
  /** @type {string[]} */
  const failures = [];
  /** @type {string[]} */
  const refusals = [];
  /** @type {Set<string>} Keys of the blocks that must come back unchanged. */
  const sent = new Set();
  const look = cache && makeCache(cache);
  let closing = false;
  let served = 0;

  const server = createServer((req, res) => {
    serve(req, res).catch((error) => {
      const message = error instanceof Error ? error.message : String(error);
      failures.push(message);
      if (res.headersSent) res.destroy();
      else sendError(res, profile, { status: 500, type: 'api_error', message });
    });
  });

  /** @param {import('node:http').IncomingMessage} req @param {import('node:http').ServerResponse} res */
  async function serve(req, res) {
    const at = performance.now();
    served += 1;
    res.setHeader('request-id', `req_fake_${served}`);
    const left = new AbortController();
    const request = { headers: req.headers, body: /** @type {any} */ (undefined), at, aborted: false };
    let isCut = false;
    res.on('close', () => {
      request.aborted = !res.writableFinished && !isCut && !closing;
      left.abort();
    });
    const bytes = await buffer(req).catch(() => undefined);
    // It went away while it was still asking.
    if (bytes === undefined) return;
    const path = `${req.method} ${(req.url ?? '').split('?')[0]}`;
    const isMessages = path === 'POST /v1/messages';
    if (isMessages) {
      request.body = bytes.toString();
      requests.push(request);
    }
    const index = requests.length - 1;
    try {
      checkKey(req.headers);
      if (path === 'GET /v1/models') return sendJson(res, 200, { data: [] });
      if (!isMessages) throw new Refusal(404, 'not_found_error', `Not found: ${path}`);
      request.body = parseBody(bytes);
      validate(request.body, { profile, headers: req.headers, sent });
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      refusals.push(error.message);
      return sendError(res, profile, error);
    }
    const prompt = look?.(request.body);
    const reply = await answer(request.body, index, req.headers);
    if (left.signal.aborted) return;
    const cut = () => {
      isCut = true;
      res.destroy();
    };
    try {
      await give(res, reply, { body: request.body, index, prompt, signal: left.signal, cut });
    } catch (error) {
      if (!left.signal.aborted) throw error;
    }
  }

  /** @param {import('node:http').IncomingHttpHeaders} headers */
  function checkKey(headers) {
    if (key === undefined || profile === 'ollama') return;
    if (headers.authorization !== `Bearer ${key}` && headers['x-api-key'] !== key)
      throw new Refusal(401, 'authentication_error', 'invalid x-api-key');
  }

  /**
   * @param {import('node:http').ServerResponse} res
   * @param {any} reply
   * @param {{ body: any, index: number, prompt: ReturnType<ReturnType<typeof makeCache>> | undefined, signal: AbortSignal, cut: () => void }} about
   */
  async function give(res, reply, { body, index, prompt, signal, cut }) {
    if (reply?.hang) return;
    if (reply?.delay) await sleep(reply.delay, undefined, { signal });
    const status = reply?.status ?? 200;
    if (status === 200) prompt?.keep();
    for (const [name, value] of Object.entries(reply?.headers ?? {})) if (!OF_THE_WIRE.test(name)) res.setHeader(name, value);
    const isScriptedMessage = reply?.json?.type === 'message' && status === 200;
    if (Array.isArray(reply?.content) || (isScriptedMessage && body.stream && !reply.asJson)) {
      const message = messageOf(reply.json ?? reply, { body, index, profile, input: prompt?.usage });
      remember(message.content);
      const modelTime = reply.modelTime ?? pace?.modelTime;
      if (body.stream) {
        beginEvents(res, 200);
        return writeEvents(res, eventsOf(message), { modelTime, signal, cut });
      }
      if (modelTime) await sleep(modelTime, undefined, { signal });
      return sendJson(res, 200, message);
    }
    if (Array.isArray(reply?.sse)) {
      remember(blocksFrom(reply.sse));
      beginEvents(res, status);
      return writeEvents(res, reply.sse, { modelTime: reply.modelTime, signal, cut });
    }
    if (reply?.json !== undefined) {
      if (isScriptedMessage) remember(reply.json.content);
      return sendJson(res, status, reply.json);
    }
    if (typeof reply?.text !== 'string') throw new Error(`request ${index} got no answer that can be sent: ${JSON.stringify(reply)}`);
    const kind = reply.contentType ?? (reply.text.trimStart().startsWith('<') ? 'text/html; charset=utf-8' : 'text/plain; charset=utf-8');
    if (!res.hasHeader('content-type')) res.setHeader('content-type', kind);
    res.writeHead(status).end(reply.text);
  }

  /** @param {any[]} blocks */
  function remember(blocks) {
    for (const block of blocks) if (block.type !== 'text' && block.type !== 'tool_use') sent.add(keyOf(block));
  }

  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  const close = async () => {
    closing = true;
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await closed;
  };
  return { url: `http://127.0.0.1:${address.port}`, requests, failures, refusals, close };
}
