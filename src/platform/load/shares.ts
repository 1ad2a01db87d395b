import { AppError } from '../errors.ts';
import { createBusyProbe, restTimes } from './busy.ts';

/** A second call does nothing. */
export type Release = () => void;

export type Shares = {
  /** Waits for a free place. Throws 503 with `Retry-After` when too many wait already, or after `waitMs`. */
  take(key: string): Release | Promise<Release>;
  tryTake(key: string): Release | undefined;
  use<Result>(key: string, work: () => Promise<Result>): Promise<Result>;
  held(key: string): number;
  waiting(key: string): number;
  /** Refuses all that wait: the process is stopping. */
  close(): void;
};

type Options = {
  /** A function: it may fall below what is held, and rise while some wait, who then get a place one after the other. */
  perKey: number | (() => number);
  maxWaiting: number;
  waitMs: number;
  /** The wait begins anew whenever somebody of the key gets a place, until it is this long in all. Default: it never does. */
  mostMs?: number;
  refusal: string;
  /** The place stays taken this long after `use`, so that a busy key leaves time to others. */
  restMs?(tookMs: number, key: string): number;
};

type Waiting = { give(release: Release): void; refuse(): void; moved(): void };
type Share = { held: number; waiting: Set<Waiting> };

/** Whether there are more places than before. */
const lookEveryMs = 100;

/** First come first served within a key (an organization); an unused key takes no memory. */
export function createShares({ perKey, maxWaiting, waitMs, mostMs = 0, refusal, restMs }: Options): Shares {
  const shares = new Map<string, Share>();
  const places = typeof perKey === 'number' ? () => perKey : perKey;

  function giveNext(key: string, share: Share) {
    const [next] = share.waiting;
    // One is always given: nobody else would.
    if (!next || (share.held > 0 && share.held >= places())) return;
    share.waiting.delete(next);
    share.held += 1;
    next.give(releaseOf(key, share));
    if (mostMs > 0) for (const one of share.waiting) one.moved();
  }

  function giveBack(key: string, share: Share) {
    share.held -= 1;
    giveNext(key, share);
    if (share.held === 0) shares.delete(key);
  }

  let looking: NodeJS.Timeout | undefined;
  function lookAgain() {
    let isWaitedFor = false;
    for (const [key, share] of shares) {
      if (share.waiting.size > 0) giveNext(key, share);
      isWaitedFor ||= share.waiting.size > 0;
    }
    looking = isWaitedFor ? setTimeout(lookAgain, lookEveryMs) : undefined;
  }

  function releaseOf(key: string, share: Share): Release {
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      giveBack(key, share);
    };
  }

  function tryTake(key: string): Release | undefined {
    const share = shares.get(key) ?? { held: 0, waiting: new Set() };
    if (share.held > 0 && (share.waiting.size > 0 || share.held >= places())) return undefined;
    share.held += 1;
    shares.set(key, share);
    return releaseOf(key, share);
  }

  function take(key: string): Release | Promise<Release> {
    const free = tryTake(key);
    if (free) return free;
    const share = shares.get(key)!;
    if (share.waiting.size >= maxWaiting) throw refused();
    return new Promise((resolve, reject) => {
      const waiting: Waiting = {
        give(release) {
          clearTimeout(timer);
          resolve(release);
        },
        refuse() {
          clearTimeout(timer);
          share.waiting.delete(waiting);
          reject(refused());
        },
        moved() {
          if (performance.now() - since < mostMs) timer.refresh();
        },
      };
      const since = performance.now();
      const timer = setTimeout(waiting.refuse, waitMs);
      share.waiting.add(waiting);
      if (typeof perKey !== 'number') looking ??= setTimeout(lookAgain, lookEveryMs);
    });
  }

  const refused = () => new AppError('unavailable', refusal, { retryAfterSeconds: 1 });

  return {
    take,
    tryTake,
    async use(key, work) {
      const release = await take(key);
      const startedAt = performance.now();
      try {
        return await work();
      } finally {
        const ms = restMs?.(performance.now() - startedAt, key) ?? 0;
        if (ms > 0) setTimeout(release, ms).unref();
        else release();
      }
    },
    held: (key) => shares.get(key)?.held ?? 0,
    waiting: (key) => shares.get(key)?.waiting.size ?? 0,
    close() {
      clearTimeout(looking);
      for (const { waiting } of shares.values()) for (const one of waiting) one.refuse();
    },
  };
}

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
/** `rest`: as a multiple of what was had. `freeMs`: how much rest a key may owe without resting. */
export type Price = { rest: { idle: number; busy: number }; freeMs: number };
const ofThisProcess: Price = { rest: restTimes, freeMs: 10 };
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

/** What a key has had is paid for with a rest: of this process as long again in an idle one and nine times as long in a busy one, up to a bound. */
export function createTimeShares(isBusy = createBusyProbe(), { rest, freeMs }: Price = ofThisProcess): TimeShares {
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
    const priceMs = tookMs * (1 + (isBusy() ? rest.busy : rest.idle));
    paidAt.set(key, Math.min(Math.max(paidAt.get(key) ?? 0, now - tookMs) + priceMs, now + freeMs + maxOwedMs));
    if (paidAt.size > maxIdleKeys) for (const [one, at] of paidAt) if (at <= now) paidAt.delete(one);
  }

  const owedMs = (key: string) => Math.max(0, (paidAt.get(key) ?? 0) - nowMs() - freeMs);

  return { count, charge, owedMs };
}

/** Of the organizations, in this process. */
export const timeShares = createTimeShares();
/** The key of an organization's large pages, which are paid for apart from its other work. */
export const pagesOf = (organizationId: string) => `pages:${organizationId}`;
