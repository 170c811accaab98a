import type { RunEvent } from '../model/event.ts';
import { activityOf } from './activity.ts';
import { countText, secondsText, tokensOf } from './format.ts';
import { playerOf } from './lines.ts';
import { plainLine } from './plain.ts';
import { cutTo, displayWidth } from './width.ts';

/** Follows a run and can say at any moment what is going on. */
export interface Live {
  /** Takes in an event. `now` is in milliseconds of any clock, as long as it is always the same one. */
  apply(event: RunEvent, now: number): void;
  /** One plain line, at most so many columns wide; `undefined` when nothing is running or a person is being asked. */
  text(now: number, width?: number): string | undefined;
}

interface Running {
  step: string;
  begun: number;
  turn: number | undefined;
  activity: string;
  tokens: number;
}

interface Waiting {
  text: string;
  since: number;
  until: number | undefined;
}

/** Columns that what is being done keeps when the line is narrow. */
const LEAST_ACTIVITY = 12;

/** Makes the state behind the live line, and behind the sign of life in a log. */
export function createLive(): Live {
  let first: number | undefined;
  let hasBegunHere = false;
  let running: Running | undefined;
  let waiting: Waiting | undefined;
  let isAsked = false;

  /** The step an event is of; one that was begun by another process is seen here for the first time. */
  function at(step: string, now: number): Running {
    if (running?.step !== step)
      running = { step, begun: hasBegunHere ? now : (first ?? now), turn: undefined, activity: 'working', tokens: 0 };
    return running;
  }

  return {
    apply: (event, now) => {
      first ??= now;
      // Whatever happens next, the waiting is over; a note may come at any time.
      if (event.type !== 'note') waiting = undefined;
      if (event.type === 'waiting') {
        const until = event.milliseconds === undefined ? undefined : now + event.milliseconds;
        waiting = { text: plainLine(event.text).trim(), since: now, until };
      } else if (event.type === 'gate-opened' || event.type === 'gate-answered') {
        isAsked = event.type === 'gate-opened';
      } else if (event.type === 'attempt-start') {
        hasBegunHere = true;
        running = undefined;
      } else if (endsStep(event)) {
        running = undefined;
        isAsked = false;
      }
      const activity = activityOf(event);
      if (!activity) return;
      const current = at(activity.step, now);
      current.activity = activity.text;
      if (event.type === 'turn-start') current.turn = event.turn;
      if (event.type === 'turn-end') {
        current.turn = event.data.turn;
        current.tokens += tokensOf(event.data.usage);
      }
    },
    text: (now, width = Number.POSITIVE_INFINITY) => {
      if (isAsked) return undefined;
      const wait = waiting && (waiting.until === undefined || now < waiting.until) ? waiting : undefined;
      const left = wait?.until === undefined ? undefined : `${Math.ceil((wait.until - now) / 1000)} s left`;
      if (running) {
        const { step, turn, activity, tokens, begun } = running;
        const head = [plainLine(step), personaOf(step), turn === undefined ? undefined : `turn ${turn}`];
        const tail = [left, tokens > 0 ? `${countText(tokens)} tokens` : undefined, secondsText(now - begun)];
        return fitted(head, wait?.text ?? activity, tail, width);
      }
      return wait && fitted([], wait.text, [left ?? secondsText(now - wait.since)], width);
    },
  };
}

/** Where the next thing that happens belongs to another step, or nothing more happens. */
function endsStep({ type }: RunEvent): boolean {
  return ENDS.has(type);
}

const ENDS: ReadonlySet<RunEvent['type']> = new Set([
  'attempt-end',
  'stage-end',
  'stage-adopted',
  'stage-skipped',
  'step-fresh',
  'evidence-recorded',
  'run-paused',
  'run-ended',
] as const);

/** `Codey` of `Codey (developer)`: the line is short. */
function personaOf(step: string): string | undefined {
  return playerOf(step)?.split(' ')[0];
}

/** Joins the parts. Where it is narrow, what is being done is shortened first: the figures behind it are what moves. */
function fitted(head: (string | undefined)[], activity: string, tail: (string | undefined)[], width: number): string {
  const joined = (middle: string): string => [...head, middle, ...tail].filter((part) => part !== undefined).join(' · ');
  const room = width - displayWidth(joined(''));
  const short = cutTo(activity, Math.max(room, LEAST_ACTIVITY));
  return cutTo(joined(short), width);
}
