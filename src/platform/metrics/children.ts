/** Resolved once by label values: recording on a hot path costs one read of a map. */
export function childrenOf<Child>(metric: { labels(...values: string[]): Child }): (...values: string[]) => Child {
  const known = new Map<string, Child>();
  return (...values) => {
    const key = values.join('\n');
    const found = known.get(key);
    if (found) return found;
    const child = metric.labels(...values);
    known.set(key, child);
    return child;
  };
}

/** Exact codes multiply a histogram's series and are of no use to an alert. */
export const statusClass = (status: number) => `${Math.trunc(status / 100)}xx`;
