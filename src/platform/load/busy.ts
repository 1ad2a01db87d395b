/** `from`: a share of the time. One export that takes half of it does not make a process busy. */
type Probed = { everyMs: number; from: number };
const inTheLongRun: Probed = { everyMs: 200, from: 0.6 };
/** A burst is over in less. */
const atTheMoment: Probed = { everyMs: 25, from: 0.7 };

/** Rest after a piece of what one organization may ask for again and again, as a multiple of its time. `shared`: idle, with others there. */
export const restTimes = { idle: 1, shared: 3, busy: 9 };

export function createBusyProbe({ everyMs, from } = inTheLongRun): () => boolean {
  let probedAt = performance.now();
  let last = performance.eventLoopUtilization();
  let isBusy = false;
  return () => {
    const now = performance.now();
    if (now - probedAt < everyMs) return isBusy;
    const current = performance.eventLoopUtilization();
    isBusy = performance.eventLoopUtilization(current, last).utilization > from;
    [probedAt, last] = [now, current];
    return isBusy;
  };
}

export type Crowd = {
  /** The key has work begun now: a request, or a step of a long one. */
  met(key: string): void;
  /** More than one key has had a request at work, just now. */
  isShared(): boolean;
  /** And the event loop has little time left for all of them. */
  isCrowded(): boolean;
};

/** Whoever has been met so long ago is no longer there. */
const goneMs = 1_000;

export function createCrowd(isBusy = createBusyProbe(atTheMoment)): Crowd {
  let [present, before] = [new Set<string>(), new Set<string>()];
  let since = performance.now();
  function pass() {
    const now = performance.now();
    if (now - since < goneMs) return;
    before = now - since < 2 * goneMs ? present : new Set();
    [present, since] = [new Set(), now];
  }
  function isShared() {
    pass();
    return present.size > 1 || before.size > 1 || (before.size > 0 && [...present].some((one) => !before.has(one)));
  }
  return {
    met(key) {
      pass();
      present.add(key);
      // Looked at with each request: a burst must not be judged by the seconds before it.
      isBusy();
    },
    isShared,
    isCrowded: () => isShared() && isBusy(),
  };
}

/** The organizations in this process. */
export const crowd = createCrowd();
