import type { RunEvent } from '../model/event.ts';
import { createLive } from '../report/live.ts';
import { cutTo } from '../report/width.ts';

/** Where progress goes, and the time. */
export interface Screen {
  write(text: string): void;
  /** 0 when unknown. */
  columns(): number;
  /** Milliseconds of a clock that does not go back. */
  now(): number;
  /** Calls again and again until it is stopped. */
  every(milliseconds: number, tick: () => void): () => void;
  /** Whether a line can be drawn over; else there are whole lines only. */
  isLive: boolean;
}

/** The last line of a terminal, drawn anew in place while a step runs; in a log, a sign of life after a long silence. */
export interface LiveLine {
  /** Takes in an event and prints the lines it is worth, above the live line. */
  tell(event: RunEvent, lines: string[]): void;
  /** Has something written by another way, with the live line off the screen meanwhile. */
  aside(write: () => void): void;
  /** Leaves the screen to somebody who asks a question. */
  away<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Clears the line for good; may be called again. */
  end(): void;
}

const FRAMES = '⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏';
/** Milliseconds between frames. */
const FRAME = 120;
/** Milliseconds: how often to look, and how long a log may be silent at first and then. */
const BEAT = { look: 1_000, first: 30_000, next: 60_000 };
const ERASE = '\r\u001b[2K';
const ERASE_REST = '\u001b[K';

/** Makes the live line; nothing is drawn and no timer runs before the first event. */
export function createLiveLine(screen: Screen): LiveLine {
  const { isLive } = screen;
  const live = createLive();
  let isShown = false;
  let isAway = false;
  let isEnded = false;
  let stop: (() => void) | undefined;
  let silentUntil = 0;

  /** The line as it should be now; empty when there is none. */
  function picture(): string {
    if (isAway || isEnded || !isLive) return '';
    const now = screen.now();
    // One column stays free: some terminals wrap when the last one is written.
    const width = Math.max(1, (screen.columns() || 80) - 1);
    const text = live.text(now, Math.max(0, width - 2));
    return text === undefined ? '' : cutTo(`${FRAMES[Math.floor(now / FRAME) % FRAMES.length]} ${text}`, width);
  }

  /** Prints lines where the live line was and draws it below them, in one go, so that nothing flickers. */
  function print(lines: string[]): void {
    const line = picture();
    const erase = isShown ? ERASE : '';
    isShown = line !== '';
    const text = `${erase}${lines.map((one) => `${one}\n`).join('')}${line}`;
    if (text !== '') screen.write(text);
    if (lines.length > 0) silentUntil = screen.now() + BEAT.first;
  }

  function redraw(): void {
    const line = picture();
    if (line === '') return print([]);
    isShown = true;
    screen.write(`\r${line}${ERASE_REST}`);
  }

  function beat(): void {
    const now = screen.now();
    const text = isAway || now < silentUntil ? undefined : live.text(now);
    if (text === undefined) return;
    screen.write(`  … ${text}\n`);
    silentUntil = now + BEAT.next;
  }

  function start(): void {
    if (stop || isEnded) return;
    silentUntil = screen.now() + BEAT.first;
    stop = isLive ? screen.every(FRAME, redraw) : screen.every(BEAT.look, beat);
  }

  function leave(): void {
    if (isShown) screen.write(ERASE);
    isShown = false;
  }

  return {
    tell: (event, lines) => {
      start();
      live.apply(event, screen.now());
      // What only changes the picture waits for the next frame: some events come by the hundred.
      if (lines.length > 0 || (isShown && picture() === '')) print(lines);
    },
    aside: (write) => {
      const wasShown = isShown;
      leave();
      write();
      if (wasShown) print([]);
    },
    away: async (work) => {
      isAway = true;
      leave();
      try {
        return await work();
      } finally {
        isAway = false;
        silentUntil = screen.now() + BEAT.first;
      }
    },
    end: () => {
      isEnded = true;
      stop?.();
      leave();
    },
  };
}
