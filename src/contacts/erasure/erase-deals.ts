import type { OwnTx } from '../../platform/ledger/tx.ts';

/* SQL: tables of deals, which contacts must not import. */

const dealsAbout = `
  select deal_id as id
    from deal_contacts
   where organization_id = $1
     and contact_id = $2
  union
  select deal_id
    from deal_conversations
   where organization_id = $1
     and conversation_id = any($3::uuid[])
  union
  select id
    from deals
   where organization_id = $1
     and source_conversation_id = any($3::uuid[])`;

/** The contact's own event tells of it. */
const noteEnd = `
  with links as materialized (
    select deal_id, jsonb_build_object('contact_id', contact_id, 'role', role, 'is_primary', is_primary) as gone
      from deal_contacts
     where organization_id = $1
       and contact_id = $2),
  raised as (
    update deals k
       set revision = k.revision + 1, updated_at = clock_timestamp()
     where k.organization_id = $1
       and k.id = any(array(select deal_id from links))
    returning k.id, k.revision)
  insert into crm_history (organization_id, object_kind, object_id, revision, actor, changes)
  select $1, 'deal', r.id, r.revision, 'system',
         jsonb_build_object('contacts', jsonb_build_object('from', jsonb_build_array(l.gone), 'to', '[]'::jsonb))
    from raised r
    join links l on l.deal_id = r.id`;

/** The deals stay; returns those whose words may name the person. Before the contact goes, and its links with it. */
export async function leaveDeals(tx: OwnTx, contactId: string, conversations: string[]): Promise<string[]> {
  const deals = await tx.sql<{ id: string }>(dealsAbout, [contactId, conversations]);
  await tx.sql(noteEnd, [contactId]);
  return deals.map(({ id }) => id);
}
