import type { OwnTx } from '../../platform/ledger/tx.ts';

/** SQL: the table is of a domain above, which contacts must not import. */
const linkedTo = `
  select distinct record_id as id
    from record_links
   where organization_id = $1
     and (contact_id = $2 or conversation_id = any($3::uuid[]))`;

/** Records that were about the contact or one of its conversations: their words may name the person. */
export async function recordsLinkedTo(tx: OwnTx, contactId: string, conversations: string[]): Promise<string[]> {
  const linked = await tx.sql<{ id: string }>(linkedTo, [contactId, conversations]);
  return linked.map(({ id }) => id);
}
