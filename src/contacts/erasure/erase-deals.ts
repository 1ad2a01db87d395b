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

/** A change of a deal that is not over yet gets the same revision then, and is repeated: what the next statements see is the deal's state. */
const holdDeals = `
  select id
    from deals
   where organization_id = $1
     and id = any(array(select deal_id from deal_contacts where organization_id = $1 and contact_id = $2))
   order by id
     for update`;

/** Before another contact becomes the primary one: a deal has one at a time. */
const dropLinks = `
  delete from deal_contacts
   where organization_id = $1
     and contact_id = $2
  returning deal_id, role, is_primary`;
type Link = { deal_id: string; role: string; is_primary: boolean };

/** In the place of the primary contact comes the oldest that is left. The contact's own event tells of it. */
const noteEnd = `
  with links as materialized (
    select x.deal_id, x.is_primary,
           jsonb_build_object('contact_id', $2::uuid, 'role', x.role, 'is_primary', x.is_primary) as gone
      from jsonb_to_recordset($3::jsonb) as x(deal_id uuid, role text, is_primary boolean)),
  next as materialized (
    select l.deal_id, o.contact_id, jsonb_build_object('contact_id', o.contact_id, 'role', o.role) as link
      from links l,
   lateral (select c.contact_id, c.role
              from deal_contacts c
             where c.organization_id = $1
               and c.deal_id = l.deal_id
             order by c.created_at, c.contact_id
             limit 1) o
     where l.is_primary),
  promoted as (
    update deal_contacts c
       set is_primary = true
      from next n
     where c.organization_id = $1
       and c.deal_id = n.deal_id
       and c.contact_id = n.contact_id),
  raised as (
    update deals k
       set revision = k.revision + 1, updated_at = clock_timestamp()
     where k.organization_id = $1
       and k.id = any(array(select deal_id from links))
    returning k.id, k.revision)
  insert into crm_history (organization_id, object_kind, object_id, revision, actor, changes)
  select $1, 'deal', r.id, r.revision, 'system',
         jsonb_build_object('contacts', case when n.deal_id is null
           then jsonb_build_object('from', jsonb_build_array(l.gone), 'to', '[]'::jsonb)
           else jsonb_build_object('from', jsonb_build_array(l.gone, n.link || '{"is_primary": false}'),
                                   'to', jsonb_build_array(n.link || '{"is_primary": true}')) end)
    from raised r
    join links l on l.deal_id = r.id
    left join next n on n.deal_id = r.id`;

/** The deals stay; returns those whose words may name the person. Ends the contact's links with them. */
export async function leaveDeals(tx: OwnTx, contactId: string, conversations: string[]): Promise<string[]> {
  const deals = await tx.sql<{ id: string }>(dealsAbout, [contactId, conversations]);
  await tx.sql(holdDeals, [contactId]);
  const links = await tx.sql<Link>(dropLinks, [contactId]);
  await tx.sql(noteEnd, [contactId, JSON.stringify(links)]);
  return deals.map(({ id }) => id);
}
