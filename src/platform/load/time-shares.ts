import { createBusyProbe, restTimes } from './busy.ts';

/** The time that an organization (or another key) has had of this process, for work that it can have done again and again. */
export type TimeShares = {
  /** Does a piece of work, which waits for nothing, and counts its time. Throws what the piece throws. */
  count<Result>(key: string, piece: () => Result): Result;
  /** For work that cannot be put into one piece; ms. */
  charge(key: string, tookMs: number): void;
  /** Until the key has had no more than its share: so long its next work has to rest, somewhere where it stands in nobody's way. */
  owedMs(key: string): number;
};

/** Of a piece. Ordinary texts and conditions take less, and are not counted. */
const cheapMs = 0.5;
/** What a key may take at once. */
const freeMs = 10;
/** No longer, whatever was asked at once: clients wait for a place for 5 s. */
const maxOwedMs = 5_000;
/** Above so many keys those that owe nothing are forgotten. */
const maxIdleKeys = 1_000;
/** The processor's time is known as of the last tick of the kernel. */
const tickMs = 4;

const nowMs = () => Number(process.hrtime.bigint()) / 1e6;

function processorMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

/** What a key has had is paid for with a rest, as long again in an idle process and nine times as long in a busy one, up to a bound. */
export function createTimeShares(isBusy = createBusyProbe()): TimeShares {
  /** When what the key has had is paid for. */
  const paidAt = new Map<string, number>();

  function count<Result>(key: string, piece: () => Result): Result {
    const [beganAt, before] = [nowMs(), processorMs()];
    try {
      return piece();
    } finally {
      const tookMs = nowMs() - beganAt;
      // Of a process that was stopped meanwhile, or had to wait for the processor, only what it worked.
      charge(key, tookMs <= tickMs ? tookMs : Math.min(tookMs, processorMs() - before));
    }
  }

  function charge(key: string, tookMs: number) {
    if (tookMs <= cheapMs) return;
    const now = nowMs();
    const priceMs = tookMs * (1 + (isBusy() ? restTimes.busy : restTimes.idle));
    paidAt.set(key, Math.min(Math.max(paidAt.get(key) ?? 0, now - tookMs) + priceMs, now + freeMs + maxOwedMs));
    if (paidAt.size > maxIdleKeys) for (const [one, at] of paidAt) if (at <= now) paidAt.delete(one);
  }

  const owedMs = (key: string) => Math.max(0, (paidAt.get(key) ?? 0) - nowMs() - freeMs);

  return { count, charge, owedMs };
}

/** Of the organizations, in this process. */
export const timeShares = createTimeShares();
