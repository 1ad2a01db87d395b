/** By default a bucket holds a second's worth, so that an idle number may burst once. */
export class TokenBuckets {
  #buckets = new Map<string, { tokens: number; at: number }>();

  take(key: string, perSecond: number | null, now = performance.now(), burst?: number): boolean {
    if (perSecond === null) return true;
    const capacity = burst ?? Math.max(1, perSecond);
    const last = this.#buckets.get(key) ?? { tokens: capacity, at: now };
    const tokens = Math.min(capacity, last.tokens + ((now - last.at) / 1_000) * perSecond);
    const isAllowed = tokens >= 1;
    this.#buckets.set(key, { tokens: isAllowed ? tokens - 1 : tokens, at: now });
    return isAllowed;
  }
}
