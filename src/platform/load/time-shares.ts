import { setTimeout as sleep } from 'node:timers/promises';
import { createBusyProbe, restTimes } from './busy.ts';
import { turnOfOthers } from './slices.ts';

/** Of the processor in one process, for work that one organization can have done again and again. */
export type TimeShares = {
  /** One piece of work, which waits for nothing, as soon as the key has had no more than its share. Throws what the piece throws. */
  work<Result>(key: string, piece: () => Result): Promise<Result>;
  /** The same at once, for whoever rests at a better moment. */
  count<Result>(key: string, piece: () => Result): Result;
  /** For work that cannot be put into one piece; ms. */
  charge(key: string, tookMs: number): void;
  /** Until the key has had no more than its share. */
  rest(key: string): Promise<void>;
};

/** Of this thread: a piece is not paid for while others have the processor, or the process is stopped. */
export function workedMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

const steadyMs = () => Number(process.hrtime.bigint()) / 1e6;

/** Of one piece. Ordinary texts and conditions take less, however many there are of them, and are not counted. */
const cheapMs = 0.5;
/** What a key may take at once. */
const freeMs = 10;
/** Above so many keys those that owe nothing are forgotten. */
const maxIdleKeys = 1_000;

/**
 * A key may take half of the time of an idle process, and a tenth of a busy one, however many of its jobs and requests are at it: each piece is paid for
 * with a rest, and the rests of a key come one after the other.
 */
export function createTimeShares(isBusy = createBusyProbe()): TimeShares {
  /** When what the key has taken is paid for. */
  const paidAt = new Map<string, number>();

  function count<Result>(key: string, piece: () => Result): Result {
    const before = workedMs();
    try {
      return piece();
    } finally {
      charge(key, workedMs() - before);
    }
  }

  function charge(key: string, tookMs: number) {
    if (tookMs <= cheapMs) return;
    const now = steadyMs();
    const priceMs = tookMs * (1 + (isBusy() ? restTimes.busy : restTimes.idle));
    paidAt.set(key, Math.max(paidAt.get(key) ?? 0, now - tookMs) + priceMs);
    if (paidAt.size > maxIdleKeys) forgetPaid(now);
  }

  function forgetPaid(now: number) {
    for (const [key, at] of paidAt) if (at <= now) paidAt.delete(key);
  }

  /** Looks again after each sleep: of a key's many that wake together only the first has time left, and many keys may wake together. */
  async function rest(key: string): Promise<void> {
    for (;;) {
      const restMs = (paidAt.get(key) ?? 0) - steadyMs() - freeMs;
      if (restMs <= 0) return;
      await sleep(restMs);
      await turnOfOthers();
    }
  }

  async function work<Result>(key: string, piece: () => Result): Promise<Result> {
    await rest(key);
    return count(key, piece);
  }

  return { work, count, charge, rest };
}

/** Of the organizations, in this process. */
export const timeShares = createTimeShares();
