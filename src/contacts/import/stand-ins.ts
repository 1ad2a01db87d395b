import { identityKey } from '../identities/identity.ts';
import type { Standing } from './resolve-rows.ts';
import type { StagedRow } from './staging.ts';

/**
 * Rows with the same keys are one contact's, whoever that is, and their changes are folded (fold-rows.ts): only the first is looked up, without
 * what it changes. A file of 20,000 rows of one phone has one look-up a batch.
 */
export type StandIns = {
  /** The rows to stage, each looked up for itself or for all with its keys. */
  looked: StagedRow[];
  /** The standing of each row from those of the rows that were looked up. */
  spread(looked: Map<number, Standing>, rows: StagedRow[]): Map<number, Standing>;
};

/** JSON: a value may have line breaks. */
const keysOf = ({ id, identities }: StagedRow) => JSON.stringify([id ?? null, ...identities.map(identityKey).sort()]);
const namesNobody = ({ id, identities }: StagedRow) => id === undefined && identities.length === 0;

export function standInsOf(rows: StagedRow[]): StandIns {
  const byKeys = Map.groupBy(rows, keysOf);
  const standIn = new Map<number, number>();
  const looked: StagedRow[] = [];
  for (const same of byKeys.values()) {
    if (same.length === 1 || namesNobody(same[0]!)) {
      looked.push(...same);
      continue;
    }
    const [first] = same as [StagedRow];
    looked.push({ ...first, fields: {}, tags: [] });
    for (const { n } of same) standIn.set(n, first.n);
  }
  return {
    looked: looked.sort((one, other) => one.n - other.n),
    spread: (standings, of) => new Map(of.map(({ n }) => [n, standings.get(standIn.get(n) ?? n)!])),
  };
}
