import type { AttemptRecord } from '../model/agent.ts';
import type { Reply } from '../model/engine.ts';
import { record, type RunContext } from './context.ts';

/** The journal as the turn loop sees it: what is recorded of one attempt, and ways to record more. */
export function attemptRecord(context: RunContext, step: string, attempt: number): AttemptRecord {
  const { journal } = context;
  const turnState = (turn: number) => {
    const active = context.state.steps[step]?.active;
    return active?.attempt === attempt ? active.turns[turn - 1] : undefined;
  };
  return {
    turn: async (turn) => {
      const known = turnState(turn);
      return known && (JSON.parse(decode(await journal.getBlob(known.reply))) as Reply);
    },
    recordTurn: async (turn, reply, duration) => {
      const blob = await journal.putBlob(JSON.stringify(reply));
      await record(context, {
        type: 'turn-end',
        data: { step, attempt, turn, reply: blob, stop: reply.stop, usage: reply.usage, duration, ...(reply.lost && { lost: reply.lost }) },
      });
    },
    recordTrim: async (turn, trim) => record(context, { type: 'context-trimmed', data: { step, attempt, turn, ...trim } }),
    call: async (turn, id) => {
      const known = turnState(turn)?.calls[id];
      if (!known) return undefined;
      const text = known.output === undefined ? '' : decode(await journal.getBlob(known.output));
      return { tool: known.tool, kind: known.kind, ended: known.ended, error: known.error, accepted: known.accepted, text };
    },
    startCall: async (turn, call, start) => {
      const at = { step, attempt, turn, call, tool: start.tool };
      if (start.kind !== 'write') {
        await record(context, { type: 'tool-start', data: { ...at, kind: start.kind } });
        return;
      }
      if (start.before !== undefined) await journal.putBlob(start.before);
      await journal.putBlob(start.bytes);
      const output = await journal.putBlob(start.text);
      await record(context, { type: 'tool-start', data: { ...at, kind: 'write', write: start.change, output } });
    },
    endCall: async (turn, call, { tool, kind, text, error, changed, accepted }) => {
      const output = await journal.putBlob(text);
      const extra = { ...(changed && changed.length > 0 && { changed }), ...(accepted !== undefined && { accepted }) };
      await record(context, { type: 'tool-end', data: { step, attempt, turn, call, tool, kind, output, error, ...extra } });
    },
  };
}

function decode(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}
