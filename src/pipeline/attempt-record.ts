import type { AttemptRecord } from '../model/agent.ts';
import type { Failure } from '../model/failure.ts';
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
        data: { step, attempt, turn, reply: blob, stop: reply.stop, usage: reply.usage, duration },
      });
    },
    recordLost: async (turn, usage) => record(context, { type: 'turn-lost', data: { step, attempt, turn, usage } }),
    recordTrim: async (turn, trim) => record(context, { type: 'context-trimmed', data: { step, attempt, turn, ...trim } }),
    call: async (turn, id) => {
      const known = turnState(turn)?.calls[id];
      if (!known) return undefined;
      const text = known.output === undefined ? '' : decode(await journal.getBlob(known.output));
      const { tool, kind, ended, error, accepted, final } = known;
      const failure = known.failure === undefined ? undefined : (JSON.parse(decode(await journal.getBlob(known.failure))) as Failure);
      return { tool, kind, ended, error, accepted, text, ...(failure && { failure }), ...(final !== undefined && { final }) };
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
    endCall: async (turn, call, { tool, kind, text, error, changed, accepted, failure, final }) => {
      const output = await journal.putBlob(text);
      const why = failure && { failure: await journal.putBlob(JSON.stringify(failure)), final: final === true };
      const extra = {
        ...why,
        ...(changed && changed.length > 0 && { changed }),
        ...(accepted !== undefined && { accepted }),
      };
      await record(context, { type: 'tool-end', data: { step, attempt, turn, call, tool, kind, output, error, ...extra } });
    },
  };
}

function decode(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}
