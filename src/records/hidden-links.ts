import { linksChange } from '../history/history.entity.ts';
import { writeHistory } from '../history/history.ts';
import type { RowOf } from '../platform/database/tables.ts';
import { LocksOutdated } from '../platform/ledger/locks.ts';
import { tableOf } from './display-names.ts';
import type { CrmRecord } from './record.entity.ts';
import type { RecordTx } from './record-tx.ts';
import type { Relation } from './types/definition.ts';

/** `keeps`: the end that is linked to something else now; the other one is in the bin. */
export type HiddenLink = { id: string; from: string; to: string; keeps: 'from' | 'to' };

/** SQL: held by its row. Nobody could know its lock before, and nobody writes to what is in the bin. */
const raise = `
  update records
     set revision = revision + 1, updated_at = clock_timestamp()
   where organization_id = $1 and id = $2 and deleted_at is not null
  returning revision`;

/**
 * What is in the bin reserves nothing: its link goes. A record has a revision and a row of history of it, which a restore leaves true;
 * without an event, as long as it is in the bin.
 */
export async function dropHidden(
  tx: RecordTx,
  { kind, name, inverseName, isInverse }: Relation,
  link: HiddenLink,
): Promise<void> {
  const { kept, left } = link.keeps === 'from' ? { kept: link.from, left: link.to } : { kept: link.to, left: link.from };
  if (link.keeps === 'to' || tableOf(isInverse ? '' : kind).table === 'records') {
    const [raised] = await tx.sql<RowOf<typeof CrmRecord, 'revision'>>(raise, [left]);
    // Restored or removed at the same time: look again.
    if (!raised) throw new LocksOutdated();
    const seen = (link.keeps === 'from') === isInverse ? name : inverseName;
    await writeHistory(tx, {
      object_kind: 'record',
      object_id: left,
      revision: raised.revision,
      event_id: null,
      actor: tx.actor,
      changes: { [seen]: linksChange(kept, null) },
    });
  }
  await tx.sql('delete from record_links where organization_id = $1 and id = $2', [link.id]);
}
