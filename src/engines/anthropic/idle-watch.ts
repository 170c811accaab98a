/** Gives a request up when nothing has arrived for a while; the SDK's own timeout ends with the headers. */
export interface IdleWatch {
  /** Aborted by the outer signal, or when the time is over. */
  signal: AbortSignal;
  /** A sign of life: the time begins anew. */
  touch(): void;
  isStalled(): boolean;
  end(): void;
}

/** `idle` is in milliseconds. */
export function watchIdle(idle: number, outer: AbortSignal): IdleWatch {
  const controller = new AbortController();
  let isStalled = false;
  const timer = setTimeout(() => {
    isStalled = true;
    controller.abort();
  }, idle);
  return {
    signal: AbortSignal.any([outer, controller.signal]),
    touch: () => void timer.refresh(),
    isStalled: () => isStalled,
    end: () => clearTimeout(timer),
  };
}
