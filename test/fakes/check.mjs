// How a strict Messages API refuses, and the checks that it makes in many places.

/** A request that is refused, with what the API would answer. */
export class Refusal extends Error {
  /** @param {number} status @param {string} type @param {string} message */
  constructor(status, type, message) {
    super(message);
    this.status = status;
    this.type = type;
  }
}

/** @param {string} message @returns {never} */
export function refuse(message) {
  throw new Refusal(400, 'invalid_request_error', message);
}

/** @param {unknown} value @returns {value is Record<string, any>} */
export function isObject(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** @param {unknown} value @param {string[]} keys @param {string} at @returns {Record<string, any>} */
export function objectWith(value, keys, at) {
  if (!isObject(value)) refuse(`${at}: Input should be an object`);
  for (const key of Object.keys(value)) if (!keys.includes(key)) refuse(`${at}.${key}: Extra inputs are not permitted`);
  return value;
}

/** @param {unknown} value @param {string} at @returns {asserts value is string} */
export function nonEmptyString(value, at) {
  if (typeof value !== 'string') refuse(`${at}: Input should be a valid string`);
  if (value === '') refuse(`${at}: String should have at least 1 character`);
}

/** @param {unknown} block @param {string} at */
export function checkTextBlock(block, at) {
  const { type, text } = objectWith(block, ['type', 'text', 'citations', 'cache_control'], at);
  if (type !== 'text') refuse(`${at}.type: Input should be 'text'`);
  checkText(text, at);
}

/** The same block has the same key, wherever its keys stand and whether or not it is a breakpoint. @param {Record<string, any>} block */
export function keyOf(block) {
  if (block.type === 'thinking') return JSON.stringify(['thinking', block.thinking ?? '', block.signature ?? '']);
  const { cache_control: _, ...rest } = block;
  return JSON.stringify(rest, sortKeys);
}

/** @param {string} _key @param {any} value */
function sortKeys(_key, value) {
  return isObject(value) ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))) : value;
}

/** @param {unknown} text @param {string} at */
export function checkText(text, at) {
  if (typeof text !== 'string') refuse(`${at}.text: Input should be a valid string`);
  if (text === '') refuse(`${at}: text content blocks must be non-empty`);
  if (text.trim() === '') refuse(`${at}: text content blocks must contain non-whitespace text`);
}

/** @param {Buffer} bytes @returns {unknown} */
export function parseBody(bytes) {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (error) {
    return refuse(`The request body is not valid JSON: ${/** @type {Error} */ (error).message}`);
  }
}

/** @param {unknown} value @param {string} at */
export function wellFormed(value, at) {
  if (typeof value === 'string' && !value.isWellFormed()) refuse(`The request body is not valid JSON: no low surrogate in string: ${at}`);
  if (typeof value !== 'object' || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    wellFormed(key, `a key of ${at}`);
    wellFormed(inner, `${at}.${key}`);
  }
}
