/**
 * Of a key one run at a time, and one after it for all who came meanwhile: many who ask for the same cost as much as two. A run begins after each call
 * that it answers, so nobody gets what was read before they asked.
 */
export function createJoined<Result>() {
  const running = new Map<string, Promise<Result>>();
  const next = new Map<string, Promise<Result>>();

  function begin(key: string, work: () => Promise<Result>): Promise<Result> {
    next.delete(key);
    const run = Promise.resolve()
      .then(work)
      .finally(() => {
        // Whoever comes before the next run has begun joins it.
        if (!next.has(key)) running.delete(key);
      });
    running.set(key, run);
    return run;
  }

  return function join(key: string, work: () => Promise<Result>): Promise<Result> {
    const before = running.get(key);
    if (!before) return begin(key, work);
    const after = next.get(key);
    if (after) return after;
    const later = before.then(
      () => begin(key, work),
      () => begin(key, work),
    );
    next.set(key, later);
    return later;
  };
}
