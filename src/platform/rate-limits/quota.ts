import { AppError } from '../errors.ts';
import type { Counter, Window } from './counter.ts';

/** `remaining` is what this process knows of; `resetSeconds` is at least 1. */
export type Taken = { isAllowed: boolean; remaining: number; resetSeconds: number };

export type Quota = {
  policy: string;
  take(key: string): Taken | Promise<Taken>;
  giveBack(key: string): void;
};

/** A part of a quota that this process may grant alone; `beyond` is left outside of it. */
type Lease = { left: number; beyond: number; endsAt: number; isOfShare: boolean };

const windowSeconds = 60;
/** Most requests cost no round trip, and a process keeps at most 1 % of the quota. */
const leasesOfQuota = 100;
/** About 30 MB, only under attack. A dropped key loses the rest of its lease. */
const maxLeases = 100_000;

/** A spent share refuses this long before the next call of the counter. */
const spentShareMs = 1_000;

export const quotaWindow: Window = { points: leasesOfQuota, duration: windowSeconds };

/** Fixed windows from a key's first request: at the seam of two, twice the quota may pass. Quotas may share a counter. */
export function createQuota(perMinute: number, counter: Counter): Quota | undefined {
  if (perMinute === 0) return undefined;
  const size = Math.ceil(perMinute / leasesOfQuota);
  const leasesNeeded = Math.ceil(perMinute / size);
  const leases = new Map<string, Lease>();
  const asked = new Map<string, Promise<void>>();

  async function takeLease(key: string) {
    // Before the call: a lease must not outlive its window.
    const askedAt = performance.now();
    const { taken, endsInMs, alone } = await counter.take(key, leasesNeeded);
    // A process that counts alone leaves equal parts to the others, which may count alone too.
    const total = alone ? Math.ceil(Math.max(perMinute - alone.seen * size, 0) / alone.processes) : perMinute;
    // The last lease is the rest of the total; the next one is empty and refuses until the window ends.
    const beyond = Math.max(total - taken * size, 0);
    const left = Math.max(Math.min(size, total - (taken - 1) * size), 0);
    // Requests given back meanwhile belong to the same window, unless it has ended.
    const before = leases.get(key);
    const givenBack = before && before.endsAt > performance.now() ? before.left : 0;
    leases.delete(key);
    const lastsMs = alone && left === 0 ? Math.min(endsInMs, spentShareMs) : endsInMs;
    leases.set(key, { left: left + givenBack, beyond, endsAt: askedAt + lastsMs, isOfShare: left > 0 && alone !== undefined });
    forgetOldest();
  }

  /** Oldest first. Two at most for each new lease: no request walks through all of them. */
  function forgetOldest() {
    let seen = 0;
    for (const [key, { endsAt }] of leases) {
      if (++seen > 2 || (leases.size <= maxLeases && endsAt > performance.now())) return;
      leases.delete(key);
      counter.forget(key);
    }
  }

  function nextLease(key: string): Promise<void> {
    const known = asked.get(key);
    if (known) return known;
    const asking = takeLease(key).finally(() => asked.delete(key));
    asked.set(key, asking);
    return asking;
  }

  function takeAtHand(key: string): Taken | undefined {
    const lease = leases.get(key);
    const ms = lease ? lease.endsAt - performance.now() : 0;
    if (!lease || ms <= 0 || (lease.left === 0 && (lease.beyond > 0 || lease.isOfShare))) return undefined;
    const isAllowed = lease.left > 0;
    if (isAllowed) lease.left -= 1;
    return { isAllowed, remaining: lease.left + lease.beyond, resetSeconds: Math.ceil(ms / 1000) };
  }

  async function takeLater(key: string): Promise<Taken> {
    for (;;) {
      await nextLease(key);
      const taken = takeAtHand(key);
      if (taken) return taken;
    }
  }

  return {
    policy: `"default";q=${perMinute};w=${windowSeconds}`,
    take: (key) => takeAtHand(key) ?? takeLater(key),
    giveBack(key) {
      const lease = leases.get(key);
      if (lease) lease.left += 1;
    },
  };
}

/** Throws 429 with `message`. Without a quota there is no limit. */
export async function takeOne(quota: Quota | undefined, key: string, message: string): Promise<void> {
  if (!quota) return;
  const { isAllowed, resetSeconds } = await quota.take(key);
  if (!isAllowed) throw new AppError('rate_limited', message, { retryAfterSeconds: resetSeconds });
}
