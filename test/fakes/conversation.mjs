// What a strict Messages API says about the messages of a request.
import { checkText, checkTextBlock, isObject, keyOf, nonEmptyString, objectWith, refuse } from './check.mjs';

/**
 * @param {unknown} messages
 * @param {Set<string>} sent keys of the blocks that this server has sent and wants back unchanged
 */
export function checkMessages(messages, sent) {
  if (!Array.isArray(messages) || messages.length === 0) refuse('messages: at least one message is required');
  /** @type {Set<string>} */
  const everAsked = new Set();
  /** @type {string[]} */
  let open = [];
  messages.forEach((message, index) => {
    const at = `messages.${index}`;
    const { role, content } = objectWith(message, ['role', 'content'], at);
    checkRole(role, index, at);
    const blocks = blocksOf(content, `${at}.content`);
    if (role === 'assistant') {
      blocks.forEach((block, place) => checkAssistantBlock(block, `${at}.content.${place}`, sent));
      if (String(blocks.at(-1)?.type).endsWith('thinking')) refuse(`${at}: The final block in an assistant message cannot be \`thinking\``);
      open = blocks.filter(({ type }) => type === 'tool_use').map(({ id }) => id);
      for (const id of open) {
        if (everAsked.has(id)) refuse(`${at}: \`tool_use\` ids must be unique: ${id}`);
        everAsked.add(id);
      }
    } else {
      blocks.forEach((block, place) => checkUserBlock(block, `${at}.content.${place}`));
      checkResults(blocks, open, index);
      open = [];
    }
  });
  if (messages.at(-1).role === 'assistant')
    refuse('This model does not support assistant message prefill. The conversation must end with a user message.');
}

/** @param {unknown} role @param {number} index @param {string} at */
function checkRole(role, index, at) {
  if (role !== 'user' && role !== 'assistant') refuse(`${at}.role: Input should be 'user' or 'assistant'`);
  if (index === 0 && role !== 'user') refuse('messages: first message must use the "user" role');
  if (role !== (index % 2 === 0 ? 'user' : 'assistant'))
    refuse(`${at}: roles must alternate between "user" and "assistant", but found multiple "${role}" roles in a row`);
}

/** @param {unknown} content @param {string} at @returns {Record<string, any>[]} */
function blocksOf(content, at) {
  if (typeof content === 'string') {
    checkText(content, at);
    return [{ type: 'text', text: content }];
  }
  if (!Array.isArray(content)) refuse(`${at}: Input should be a valid string or a list of blocks`);
  if (content.length === 0) refuse(`${at}: all messages must have non-empty content`);
  content.forEach((block, place) => {
    if (!isObject(block) || typeof block.type !== 'string') refuse(`${at}.${place}: Input should be an object with a type`);
  });
  return content;
}

/** @param {Record<string, any>} block @param {string} at @param {Set<string>} sent */
function checkAssistantBlock(block, at, sent) {
  if (block.type === 'text') return checkTextBlock(block, at);
  if (block.type === 'tool_use') {
    const { id, name, input } = objectWith(block, ['type', 'id', 'name', 'input', 'caller', 'toolset_name', 'cache_control'], at);
    nonEmptyString(id, `${at}.tool_use.id`);
    nonEmptyString(name, `${at}.tool_use.name`);
    if (!isObject(input)) refuse(`${at}.tool_use.input: Input should be a valid dictionary`);
    return;
  }
  if (['tool_result', 'image', 'document'].includes(block.type)) refuse(`${at}: \`${block.type}\` blocks can only be in \`user\` messages`);
  if (block.type === 'thinking')
    nonEmptyString(objectWith(block, ['type', 'thinking', 'signature'], at).signature, `${at}.thinking.signature`);
  if (!sent.has(keyOf(block)))
    refuse(
      block.type.endsWith('thinking')
        ? `${at}: \`thinking\` or \`redacted_thinking\` blocks in the conversation cannot be modified. They must remain as they were in the original response.`
        : `${at}: a \`${block.type}\` block that this server has not sent`,
    );
}

/** @param {Record<string, any>} block @param {string} at */
function checkUserBlock(block, at) {
  if (block.type === 'text') return checkTextBlock(block, at);
  if (block.type === 'image' || block.type === 'document') return;
  if (block.type !== 'tool_result') refuse(`${at}: \`${block.type}\` blocks cannot be in \`user\` messages`);
  const keys = ['type', 'tool_use_id', 'content', 'is_error', 'toolset_name', 'cache_control'];
  const { tool_use_id: id, content, is_error: isError } = objectWith(block, keys, at);
  nonEmptyString(id, `${at}.tool_result.tool_use_id`);
  if (isError !== undefined && typeof isError !== 'boolean') refuse(`${at}.tool_result.is_error: Input should be a valid boolean`);
  if (isError && (content?.length ?? 0) === 0) refuse(`${at}.tool_result: content cannot be empty if \`is_error\` is true`);
  if (content === undefined || typeof content === 'string') return;
  if (!Array.isArray(content)) refuse(`${at}.tool_result.content: Input should be a valid string or a list of blocks`);
  content.forEach((inner, place) => {
    if (!isObject(inner) || !['image', 'document'].includes(inner.type)) checkTextBlock(inner, `${at}.tool_result.content.${place}`);
  });
}

/** Every open call is answered once, before anything else is said. @param {Record<string, any>[]} blocks @param {string[]} open @param {number} index */
function checkResults(blocks, open, index) {
  const answered = new Set();
  let saidElse = false;
  blocks.forEach(({ type, tool_use_id: id }, place) => {
    const at = `messages.${index}.content.${place}`;
    if (type !== 'tool_result') {
      saidElse = true;
      return;
    }
    if (saidElse) refuse(`${at}: \`tool_result\` blocks must come first in the message`);
    if (!open.includes(id))
      refuse(
        `${at}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${id}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`,
      );
    if (answered.has(id)) refuse(`${at}: each tool_use must have a single result. Found multiple \`tool_result\` blocks with id: ${id}`);
    answered.add(id);
  });
  const missing = open.filter((id) => !answered.has(id));
  if (missing.length > 0)
    refuse(
      `messages.${index - 1}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${missing.join(', ')}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`,
    );
}
