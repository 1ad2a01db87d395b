import { Counter, type Registry } from 'prom-client';
import type { Count, Tally } from '../ledger/tally.ts';

/** What transactions count (`tx.count`), in the registry of this process. */
export function createTallies(registry: Registry, tallies: readonly Tally[]): Count {
  const counters = new Map(
    tallies.map(({ name, help, label, values }) => {
      const counter = new Counter({ name, help, labelNames: [label], registers: [registry] });
      // From the start, so that a rate sees the first of them.
      for (const value of values) counter.inc({ [label]: value }, 0);
      return [name, counter];
    }),
  );
  return (tallied) => {
    for (const { tally, value } of tallied) counters.get(tally.name)?.inc({ [tally.label]: value });
  };
}
