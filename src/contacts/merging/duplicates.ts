import type { Em } from '../../platform/database/database.ts';
import type { OwnTx } from '../../platform/ledger/tx.ts';
import { type Page, pageOfTable } from '../../platform/listing/paging.ts';
import type { DuplicateReason } from './merge.entity.ts';

export type DuplicateRow = { id: string; contact_id: string; other_id: string; reason: DuplicateReason; created_at: string };

/** Lists two contacts for somebody to merge, once; not when one of them has just gone. */
export async function listDuplicate(tx: OwnTx, one: string, other: string, reason: DuplicateReason) {
  const [older, newer] = [one, other].sort();
  await tx.sql(
    `insert into contact_duplicates (id, organization_id, contact_id, other_id, reason)
     select uuidv7(), $1, k.id, o.id, $4 from contacts k join contacts o on o.organization_id = $1 and o.id = $3
      where k.organization_id = $1 and k.id = $2 for key share
     on conflict on constraint contact_duplicates_pair do nothing`,
    [older, newer, reason],
  );
}

export function listDuplicates(em: Em, organizationId: string, page: Page) {
  const statement = 'select id, contact_id, other_id, reason, created_at from contact_duplicates where organization_id = $1';
  return pageOfTable<DuplicateRow>(em, statement, [organizationId], page);
}
