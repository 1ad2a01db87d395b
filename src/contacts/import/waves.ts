/**
 * Rows that name the same person must come one after the other. Rows that share a key, directly or through others, are of one group, and
 * each is as late as its place in it: of two in one wave neither can meet the other. Keys are identities and the contacts already known.
 */
export function wavesOf(keys: string[][]): { wave: number; group: number }[] {
  const parents = keys.map((_, row) => row);
  const rootOf = (row: number): number => {
    let root = row;
    while (parents[root] !== root) root = parents[root]!;
    let at = row;
    while (parents[at] !== root) [parents[at], at] = [root, parents[at]!];
    return root;
  };
  const firstWith = new Map<string, number>();
  for (const [row, own] of keys.entries())
    for (const key of own) {
      const first = firstWith.get(key);
      if (first === undefined) firstWith.set(key, row);
      else parents[rootOf(row)] = rootOf(first);
    }
  const sizes = new Map<number, number>();
  return keys.map((_, row) => {
    const root = rootOf(row);
    const place = sizes.get(root) ?? 0;
    sizes.set(root, place + 1);
    return { wave: place, group: root };
  });
}
