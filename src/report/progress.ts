import pc from 'picocolors';
import type { RunEvent } from '../model/event.ts';
import { tokensOf } from './format.ts';
import { eventLines, type Known, type Line } from './lines.ts';
import { plainLine } from './plain.ts';

/** Makes a function that turns each event into the lines a person should see; it remembers what a summary needs. */
export function createProgress({ colour }: { colour: boolean }): (event: RunEvent) => string[] {
  const paint = painter(colour);
  const memory = createMemory();
  // Made plain before it is painted: the only escape codes are our own.
  return (event) => eventLines(event, memory(event)).map(({ text, tone }) => paint(plainLine(text), tone));
}

/** Follows the events of a run and tells what is known when each arrives. */
function createMemory(): (event: RunEvent) => Known {
  const started = new Map<string, number>();
  const used = new Map<string, number>();
  let stale: string | undefined;
  return (event) => {
    const known: Known = { duration: undefined, tokens: 0, saidStale: event.type === 'stage-reopened' && event.data.step === stale };
    stale = event.type === 'step-stale' ? event.step : undefined;
    if (event.type === 'attempt-start') {
      started.set(event.data.step, Date.parse(event.time));
      used.set(event.data.step, 0);
    } else if (event.type === 'turn-end') {
      used.set(event.data.step, (used.get(event.data.step) ?? 0) + tokensOf(event.data.usage));
    } else if (event.type === 'stage-end') {
      const { step } = event.data;
      const begun = started.get(step);
      // A resumed attempt began in another process: what this one has seen of it would be too little.
      if (begun !== undefined) return { ...known, duration: Date.parse(event.time) - begun, tokens: used.get(step) ?? 0 };
    }
    return known;
  };
}

function painter(colour: boolean): (text: string, tone: Line['tone']) => string {
  const colours = pc.createColors(colour);
  const paints: Record<Line['tone'], (text: string) => string> = {
    plain: (text) => text,
    title: colours.bold,
    good: colours.green,
    bad: colours.red,
    warn: colours.yellow,
    dim: colours.dim,
  };
  return (text, tone) => paints[tone](text);
}
