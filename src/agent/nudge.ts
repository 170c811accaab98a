import type { Message, Reply } from '../model/engine.ts';
import type { Failure } from '../model/failure.ts';

/** Id of a submission that was written as text: there is no call to answer. */
export const SPOKEN = 'spoken';

export interface Nudge {
  /** What the model is told instead of running anything. */
  message: Message;
  /** What has failed when it has been told often enough. */
  failure: Failure;
}

interface Stage {
  submitTool: string;
  findSubmission: (text: string) => unknown;
}

/** What to answer to a reply of which nothing can be run: it was cut off, or it hands nothing in. */
export function nudgeFor(reply: Reply, { submitTool, findSubmission }: Stage): Nudge | undefined {
  const calls = reply.content.filter((block) => block.type === 'tool-call');
  if (reply.stop === 'truncated') {
    const text = `Your reply was cut off at the output limit${calls.length > 0 ? '; none of its calls was run. Write large files in parts' : ''}. Go on in smaller steps.`;
    const results = calls.map(({ id }) => ({ type: 'tool-result' as const, id, text, isError: true }));
    return {
      message: { role: 'user', content: results.length > 0 ? results : [{ type: 'text', text }] },
      failure: { kind: 'truncated', message: 'The replies were cut off at the output limit; none of their tool calls ran.' },
    };
  }
  if (calls.length > 0) return undefined;
  const said = reply.content.map((block) => (block.type === 'text' ? block.text : '')).join('\n');
  if (findSubmission(said) !== undefined) return undefined;
  return {
    message: { role: 'user', content: [{ type: 'text', text: `Nothing was handed in. Call ${submitTool} to finish.` }] },
    failure: {
      kind: 'no-artifact',
      message: `The role ended its turn without handing anything in${reply.detail === undefined ? '' : ` (${reply.detail})`}.`,
    },
  };
}
