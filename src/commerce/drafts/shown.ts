import type { Own } from '../../platform/database/own.ts';
import type { Totals } from '../totals.ts';
import { lookAround } from './around.ts';
import { type DraftRow, orderOf } from './drafts.ts';
import type { Fault } from './faults.ts';
import { type Priced, priced, totalsOfDraft } from './priced.ts';
import { quotedFor } from './quoted.ts';

export type ShownDraft = { row: DraftRow; priced: Priced; totals: Totals; faults: Fault[] };

/** Each as it would be sold now. One read for all, and one for each that names a quote. */
export async function showDrafts(own: Own, rows: DraftRow[]): Promise<ShownDraft[]> {
  const orders = rows.map(orderOf);
  const around = await lookAround(own, orders);
  return Promise.all(
    rows.map(async (row, index) => {
      const order = orders[index]!;
      const sum = priced(around, order, await quotedFor(own, around, order));
      const { totals, faults } = totalsOfDraft(around, order, sum);
      return { row, priced: sum, totals, faults: [...sum.faults, ...faults] };
    }),
  );
}
