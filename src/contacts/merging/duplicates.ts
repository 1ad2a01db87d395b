import type { RowOf } from '../../platform/database/tables.ts';
import type { OwnTx } from '../../platform/ledger/tx.ts';
import { list } from '../../platform/listing/paging.ts';
import { ContactDuplicate, type DuplicateReason } from './merge.entity.ts';

const columns = ['id', 'contact_id', 'other_id', 'reason', 'created_at'] as const;
export type DuplicateRow = RowOf<typeof ContactDuplicate, (typeof columns)[number]>;

export const listDuplicates = list((select, _: object) => select(ContactDuplicate).select(columns));

/** SQL: inserts only while both contacts exist, and locks them against deletion. A suppression of either counts for two with one phone. */
const insertPair = `
  insert into contact_duplicates (id, organization_id, contact_id, other_id, reason)
  select uuidv7(), $1, k.id, o.id, $4
    from contacts k
    join contacts o on o.organization_id = $1 and o.id = $3
   where k.organization_id = $1
     and k.id = $2
     for key share
  on conflict on constraint contact_duplicates_pair do update set reason = excluded.reason
   where excluded.reason = 'same_phone' and contact_duplicates.reason <> excluded.reason`;

/** Idempotent; does nothing when one of the two no longer exists. */
export async function listDuplicate(tx: OwnTx, one: string, other: string, reason: DuplicateReason): Promise<void> {
  const [older, newer] = [one, other].sort();
  await tx.sql(insertPair, [older, newer, reason]);
}
