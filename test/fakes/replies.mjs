// Recorded replies as what a Messages API answers.

const RETRY = '## Why the last attempt failed';
/** @type {Record<string, string>} */
const STOPS = { truncated: 'max_tokens', refusal: 'refusal' };

/**
 * Finds the reply to a request by its stage, attempt and turn.
 * @param {import('./replies.mjs').ReplyTurn[]} turns
 * @returns {(body: any) => import('./messages-api.mjs').MessageAnswer}
 */
export function answerFromTranscript(turns) {
  return (body) => {
    const { content } = body.messages[0];
    const blocks = typeof content === 'string' ? [{ text: content }] : content;
    const told = blocks.map((/** @type {any} */ { text = '' }) => text).join('\n');
    const stage = /^# Stage ([a-z0-9-]+):/m.exec(told)?.[1];
    const isRetry = told.includes(RETRY) && turns.some((one) => one.stage === stage && one.attempt === 2);
    const attempt = isRetry ? 2 : 1;
    const turn = body.messages.filter((/** @type {any} */ { role }) => role === 'assistant').length + 1;
    const found = turns.find((one) => one.stage === stage && (one.attempt ?? 1) === attempt && one.turn === turn);
    if (!found) throw new Error(`no reply for stage ${stage ?? '(none named)'}, attempt ${attempt}, turn ${turn}`);
    const calls = (found.calls ?? []).map(({ id, tool, input }, place) => ({
      type: 'tool_use',
      id: id ?? `toolu_${stage}_${attempt}_${turn}_${place + 1}`,
      name: tool,
      input,
    }));
    return {
      content: [...(found.say ? [{ type: 'text', text: found.say }] : []), ...calls],
      stop_reason: STOPS[found.stop ?? ''] ?? (calls.length > 0 ? 'tool_use' : 'end_turn'),
      ...(found.usage && { usage: found.usage }),
      ...(found.delay !== undefined && { delay: found.delay }),
    };
  };
}
