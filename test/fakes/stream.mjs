// Messages as events, and events as bytes.
import { setTimeout as sleep } from 'node:timers/promises';

/** Sizes of the pieces, in turn: no two in a row alike, so that a cut falls anywhere. */
const SIZES = [20, 17, 23, 19, 21];

/** @param {string} text */
function piecesOf(text) {
  const pieces = [];
  for (let at = 0; at < text.length;) {
    let end = Math.min(at + (SIZES[pieces.length % SIZES.length] ?? 20), text.length);
    if (/^[\uD800-\uDBFF][\uDC00-\uDFFF]$/.test(text.slice(end - 1, end + 1))) end += 1;
    pieces.push(text.slice(at, end));
    at = end;
  }
  return pieces;
}

/** A block as it begins, and the deltas that fill it. @param {Record<string, any>} block @returns {[object, object[]]} */
function partsOf(block) {
  if (block.type === 'text') return [{ ...block, text: '' }, piecesOf(block.text).map((text) => ({ type: 'text_delta', text }))];
  if (block.type === 'tool_use') {
    // Like the API: an empty piece first, and nothing else for an empty input.
    const json = JSON.stringify(block.input);
    const pieces = ['', ...(json === '{}' ? [] : piecesOf(json))];
    return [{ ...block, input: {} }, pieces.map((piece) => ({ type: 'input_json_delta', partial_json: piece }))];
  }
  if (block.type === 'thinking') {
    const deltas = piecesOf(block.thinking ?? '').map((thinking) => ({ type: 'thinking_delta', thinking }));
    const signed = block.signature === undefined ? [] : [{ type: 'signature_delta', signature: block.signature }];
    return [{ ...block, thinking: '', signature: '' }, [...deltas, ...signed]];
  }
  return [block, []];
}

/** @param {Record<string, any>} message @returns {Record<string, any>[]} */
export function eventsOf(message) {
  const { content, stop_reason, stop_sequence, stop_details, usage, ...head } = message;
  const blocks = content.flatMap((/** @type {any} */ block, /** @type {number} */ index) => {
    const [start, deltas] = partsOf(block);
    return [
      { type: 'content_block_start', index, content_block: start },
      ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
      { type: 'content_block_stop', index },
    ];
  });
  const begun = { ...head, content: [], stop_reason: null, stop_sequence: null, usage: { ...usage, output_tokens: 1 } };
  const delta = { stop_reason, stop_sequence, ...(stop_details === undefined ? {} : { stop_details }) };
  return [
    { type: 'message_start', message: begun },
    { type: 'ping' },
    ...blocks,
    { type: 'message_delta', delta, usage: { output_tokens: usage.output_tokens } },
    { type: 'message_stop' },
  ];
}

/**
 * The finished blocks that scripted events make up, as far as they must come back unchanged.
 * @param {any[]} events
 * @returns {Record<string, any>[]}
 */
export function blocksFrom(events) {
  /** @type {Map<number, Record<string, any>>} */
  const blocks = new Map();
  const finished = [];
  for (const { type, index, content_block: start, delta } of events) {
    const block = blocks.get(index);
    if (type === 'content_block_start') blocks.set(index, { ...start });
    if (delta?.type === 'thinking_delta' && block) block.thinking = (block.thinking ?? '') + delta.thinking;
    if (delta?.type === 'signature_delta' && block) block.signature = delta.signature;
    if (type === 'content_block_stop' && block) finished.push(block);
  }
  return finished;
}

/** @param {any} item */
function linesOf(item) {
  const event = item === 'PING' ? { type: 'ping' } : item;
  if (typeof event?.type !== 'string') throw new Error(`not an event: ${JSON.stringify(item)}`);
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}

/**
 * Writes events up to their end, "CUT", "STALL" or `{ eof: true }`; with `modelTime` the deltas are spread over it.
 * @param {import('node:http').ServerResponse} res
 * @param {any[]} items
 * @param {{ modelTime?: number | undefined, signal: AbortSignal, cut: () => void }} how
 */
export async function writeEvents(res, items, { modelTime = 0, signal, cut }) {
  const isPaced = (/** @type {any} */ item) => modelTime > 0 && item?.type === 'content_block_delta';
  const paced = Math.max(1, items.filter(isPaced).length);
  const start = performance.now();
  const waitFor = async (/** @type {number} */ share) => {
    const left = start + modelTime * share - performance.now();
    if (left > 0) await sleep(left, undefined, { signal });
  };
  let pending = '';
  const flush = async () => {
    res.flushHeaders();
    const bytes = pending;
    pending = '';
    if (bytes !== '') await new Promise((resolve) => res.write(bytes, resolve));
  };
  if (modelTime > 0) res.flushHeaders();
  let done = 0;
  for (const item of items) {
    if (item === 'STALL') return flush();
    if (item === 'CUT') {
      await flush();
      return cut();
    }
    if (item?.eof === true) break;
    if (isPaced(item)) {
      await flush();
      done += 1;
      await waitFor(done / paced);
    }
    pending += linesOf(item);
  }
  if (modelTime > 0 && done === 0) await waitFor(1);
  res.end(pending);
}
