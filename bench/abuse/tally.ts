/** How the hostile client was answered: a status, `closed` by the server, `cut off` by ourselves at the end of the round. */
export type Tally = { add(answer: string, times?: number): void; counts(): Record<string, number> };

export function createTally(): Tally {
  const counts = new Map<string, number>();
  return {
    add: (answer, times = 1) => void (times > 0 && counts.set(answer, (counts.get(answer) ?? 0) + times)),
    counts: () => Object.fromEntries([...counts].sort(([one], [other]) => (one < other ? -1 : 1))),
  };
}

/** Of several rounds together. */
export function sumOf(all: Record<string, number>[]): Record<string, number> {
  const tally = createTally();
  for (const counts of all) for (const [answer, times] of Object.entries(counts)) tally.add(answer, times);
  return tally.counts();
}
