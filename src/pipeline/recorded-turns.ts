import { join } from 'node:path';
import type { RecordedTurn, Reply } from '../model/engine.ts';
import type { EventData } from '../model/event.ts';
import type { RunState } from '../model/state.ts';
import { getBlob } from '../journal/journal.ts';
import { readJournal } from '../journal/read.ts';

export interface RecordedTurns {
  turns: RecordedTurn[];
  /** Engines that did whole jobs by themselves, so that there are no replies of theirs. */
  harnesses: string[];
}

/**
 * The replies of a run so far, whichever process asked for them. Attempts that were superseded or interrupted are left
 * out and the others of each step numbered from 1, as they would come when the replies are played back.
 */
export async function readRecordedTurns(folder: string): Promise<RecordedTurns> {
  const ended: EventData['turn-end'][] = [];
  const engines = new Map<string, string>();
  const { state } = await readJournal(join(folder, 'journal.jsonl'), (event) => {
    if (event.type === 'turn-end') ended.push(event.data);
    if (event.type === 'attempt-start') engines.set(keyOf(event.data), event.data.engine ?? '');
  });
  const numbers = numbersOfAttempts(state);
  const found: RecordedTurns = { turns: [], harnesses: [] };
  for (const data of ended) {
    const attempt = numbers.get(keyOf(data));
    if (attempt === undefined) continue;
    const reply = JSON.parse(new TextDecoder().decode(await getBlob(folder, data.reply))) as Reply;
    const turns = state.steps[data.step]?.attempts.find((one) => one.attempt === data.attempt)?.turns;
    // A harness is recorded as one turn that says nothing; a model that says nothing is asked again.
    if (turns === 1 && reply.content.length === 0 && reply.stop === 'end') found.harnesses.push(engines.get(keyOf(data)) ?? '');
    else found.turns.push({ key: { step: data.step, attempt, turn: data.turn }, reply });
  }
  return { ...found, harnesses: [...new Set(found.harnesses)] };
}

function numbersOfAttempts(state: RunState): Map<string, number> {
  const numbers = new Map<string, number>();
  for (const [step, { attempts }] of Object.entries(state.steps)) {
    attempts
      .filter(({ outcome }) => outcome !== 'superseded' && outcome !== 'interrupted')
      .forEach(({ attempt }, index) => numbers.set(keyOf({ step, attempt }), index + 1));
  }
  return numbers;
}

function keyOf({ step, attempt }: { step: string; attempt: number }): string {
  return `${step}.${attempt}`;
}
