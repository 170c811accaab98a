// A prompt cache by prefix, as the Messages API keeps one.
import { createHash } from 'node:crypto';

/** So many blocks before a breakpoint an earlier entry is still found. */
const LOOK_BACK = 20;
const CHARACTERS_PER_TOKEN = 4;

/**
 * The prompt in the order in which it is cached; `marked` blocks are breakpoints.
 * @param {Record<string, any>} body
 * @returns {{ text: string, marked: boolean, under: string }[]}
 */
function promptOf(body) {
  const blocks = [
    ...(body.tools ?? []).map((/** @type {any} */ tool) => ({ under: 'tools', block: tool })),
    ...listOf(body.system).map((block) => ({ under: 'system', block })),
    ...body.messages.flatMap((/** @type {any} */ message) => listOf(message.content).map((block) => ({ under: message.role, block }))),
  ].map(({ under, block }) => ({ under, ...unmarked(block) }));
  const last = blocks.at(-1);
  if (body.cache_control && last) last.marked = true;
  return blocks;
}

/** @param {any} content @returns {Record<string, any>[]} */
function listOf(content) {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : (content ?? []);
}

/** @param {Record<string, any>} block */
function unmarked(block) {
  const { cache_control: own, ...rest } = block;
  let marked = Boolean(own);
  if (rest.type === 'tool_result' && Array.isArray(rest.content))
    rest.content = rest.content.map((/** @type {any} */ { cache_control: inner, ...kept }) => {
      marked ||= Boolean(inner);
      return kept;
    });
  return { text: JSON.stringify(rest), marked };
}

/** @param {Record<string, any>} body */
export function estimateInput(body) {
  return Math.max(1, Math.round(promptOf(body).reduce((sum, { text }) => sum + text.length, 0) / CHARACTERS_PER_TOKEN));
}

/** @param {unknown} content */
export function estimateOutput(content) {
  return Math.max(1, Math.round(JSON.stringify(content).length / CHARACTERS_PER_TOKEN));
}

/** @param {{ minimum?: number, ttl?: number, charactersPerToken?: number }} options */
export function makeCache({ minimum = 1024, ttl = 300_000, charactersPerToken = CHARACTERS_PER_TOKEN }) {
  /** When each prefix expires. @type {Map<string, number>} */
  const entries = new Map();
  const isAlive = (/** @type {string} */ hash) => (entries.get(hash) ?? 0) > performance.now();

  /**
   * What a request costs; `keep` stores its breakpoints, to be called when its answer begins.
   * @param {Record<string, any>} body
   */
  return function look(body) {
    const blocks = promptOf(body);
    let characters = 0;
    let hash = String(body.model);
    const prefixes = blocks.map(({ text, marked, under }) => {
      characters += text.length;
      hash = createHash('sha256').update(`${hash}\n${under}\n${text}`).digest('hex');
      return { hash, marked, tokens: Math.round(characters / charactersPerToken) };
    });
    const marks = prefixes.flatMap(({ marked }, index) => (marked ? [index] : []));
    const found = marks.flatMap((mark) => {
      const from = Math.max(0, mark - LOOK_BACK);
      const back = prefixes.slice(from, mark + 1).findLastIndex((prefix) => isAlive(prefix.hash));
      return back === -1 ? [] : [from + back];
    });
    const hit = prefixes[Math.max(-1, ...found)];
    const last = prefixes[marks.at(-1) ?? -1];
    const read = hit?.tokens ?? 0;
    const written = last && last.tokens >= minimum ? last.tokens - read : 0;
    return {
      usage: {
        input_tokens: (prefixes.at(-1)?.tokens ?? 0) - read - written,
        cache_creation_input_tokens: written,
        cache_read_input_tokens: read,
      },
      keep() {
        const kept = prefixes.filter((prefix) => prefix === hit || (prefix.marked && prefix.tokens >= minimum));
        for (const prefix of kept) entries.set(prefix.hash, performance.now() + ttl);
      },
    };
  };
}
