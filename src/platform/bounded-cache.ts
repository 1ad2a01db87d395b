export type BoundedCache<Value> = {
  get(key: string): Value | undefined;
  set(key: string, value: Value, weight: number): void;
  size(): number;
};

/**
 * Keeps what was used last: at most so many, whose weights (bytes or characters, as the caller counts) come to at most so much; the newest stays whatever
 * it weighs. For values that never change under their key.
 */
export function createBoundedCache<Value>(max: { entries: number; weight: number }): BoundedCache<Value> {
  const kept = new Map<string, { value: Value; weight: number }>();
  let weight = 0;

  function put(key: string, one: { value: Value; weight: number }): void {
    const before = kept.get(key);
    weight += one.weight - (before?.weight ?? 0);
    // A map keeps the order of entry: the first was not used for longest.
    kept.delete(key);
    kept.set(key, one);
    for (const [old, { weight: size }] of kept) {
      if (old === key || (kept.size <= max.entries && weight <= max.weight)) break;
      kept.delete(old);
      weight -= size;
    }
  }

  return {
    get(key) {
      const one = kept.get(key);
      if (one) put(key, one);
      return one?.value;
    },
    set: (key, value, size) => put(key, { value, weight: size }),
    size: () => kept.size,
  };
}
