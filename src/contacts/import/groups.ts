/** Rows that share keys, also through other rows, get one group: the number of its root. `shared`: groups of several rows. */
export function groupsOf(keys: string[][]): { groups: number[]; shared: Set<number> } {
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
  const groups = keys.map((_, row) => rootOf(row));
  const shared = new Set<number>();
  const seen = new Set<number>();
  for (const group of groups)
    if (seen.has(group)) shared.add(group);
    else seen.add(group);
  return { groups, shared };
}
