import type { BadRow, Counts, Import } from '../platform/imports/progress.ts';
import type { OwnTx } from '../platform/ledger/tx.ts';
import { crmProgress } from './tables.ts';

/** What became of the rows of a batch: `taken` of them, from the first. */
export type Applied = { taken: number; counts: Counts; failures: BadRow[] };

/** The objects an import may change in one batch: the server has room for some 6,400 locks. */
export const maxChanged = 1_000;

/** The actor of its rows of history. */
export const actorOfImport = ({ id }: Import) => `import:${id}`;

/** In the transaction of the batch, around its work: a killed run did all rows or none. Throws Superseded. */
export async function countedBatch(tx: OwnTx, running: Import, done: number, work: () => Promise<Applied>): Promise<Applied> {
  // The organization is the first parameter of both.
  const ask = <Row>(text: string, [, ...params]: unknown[]) => tx.sql<Row>(text, params);
  const reported = await crmProgress.beginAt(ask, running, done);
  const applied = await work();
  const { taken: rows, counts, failures } = applied;
  await crmProgress.moveOn(ask, running, { rows, counts, failures, reported });
  return applied;
}
