import { Fifo } from './fifo.ts';

export interface Tallied {
  accepted: number;
  max_in_one_second: number;
}

interface Tally {
  accepted: number;
  maxInOneSecond: number;
  lastSecond: Fifo<number>;
}

/** How often something happened, and how often at most within any one second. */
export class Tallies {
  #byKey = new Map<string, Tally>();

  /** The largest count of any second that ends in an event is the largest of any second at all. */
  count(key: string, now = performance.now()): void {
    const tally = this.#byKey.get(key) ?? { accepted: 0, maxInOneSecond: 0, lastSecond: new Fifo<number>() };
    this.#byKey.set(key, tally);
    tally.accepted += 1;
    tally.lastSecond.push(now);
    while ((tally.lastSecond.peek() ?? now) <= now - 1_000) tally.lastSecond.shift();
    tally.maxInOneSecond = Math.max(tally.maxInOneSecond, tally.lastSecond.size);
  }

  of(key: string): Tallied {
    const tally = this.#byKey.get(key);
    return { accepted: tally?.accepted ?? 0, max_in_one_second: tally?.maxInOneSecond ?? 0 };
  }
}
