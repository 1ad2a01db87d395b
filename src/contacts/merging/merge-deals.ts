import type { MergeTx } from './merge-tx.ts';

/* SQL: tables of deals, which contacts must not import. */

/**
 * A link of the merged contact becomes the survivor's. Where both are linked to a deal the two become one: primary if one of them was, with
 * the survivor's role if it has one. Each deal gets a revision and a row of history; the contacts' events tell of it.
 */
const moveContacts = `
  with links as materialized (
    select o.deal_id, o.role, o.is_primary, o.created_at, s.contact_id is not null as is_doubled,
           jsonb_build_object('contact_id', o.contact_id, 'role', o.role, 'is_primary', o.is_primary) as gone,
           jsonb_build_object('contact_id', s.contact_id, 'role', s.role, 'is_primary', s.is_primary) as kept,
           jsonb_build_object('contact_id', $2::uuid, 'role', coalesce(nullif(s.role, ''), o.role),
             'is_primary', o.is_primary or coalesce(s.is_primary, false)) as becomes
      from deal_contacts o
      left join deal_contacts s on s.organization_id = $1 and s.deal_id = o.deal_id and s.contact_id = $2
     where o.organization_id = $1
       and o.contact_id = $3
       for update of o),
  doubled as (
    delete from deal_contacts o
     where o.organization_id = $1
       and o.contact_id = $3
       and o.deal_id = any(array(select deal_id from links where is_doubled))
    returning o.deal_id),
  united as (
    update deal_contacts s
       set role = l.becomes->>'role', is_primary = (l.becomes->>'is_primary')::boolean
      from doubled d
      join links l on l.deal_id = d.deal_id
     where s.organization_id = $1
       and s.deal_id = d.deal_id
       and s.contact_id = $2),
  moved as (
    update deal_contacts o
       set contact_id = $2
     where o.organization_id = $1
       and o.contact_id = $3
       and o.deal_id = any(array(select deal_id from links where not is_doubled))),
  raised as (
    update deals k
       set revision = k.revision + 1, updated_at = clock_timestamp()
     where k.organization_id = $1
       and k.id = any(array(select deal_id from links))
    returning k.id, k.revision),
  noted as (
    insert into crm_history (organization_id, object_kind, object_id, revision, actor, changes)
    select $1, 'deal', r.id, r.revision, $4, jsonb_build_object('contacts', jsonb_build_object(
             'from', case when l.is_doubled then jsonb_build_array(l.gone, l.kept) else jsonb_build_array(l.gone) end,
             'to', jsonb_build_array(l.becomes)))
      from raised r
      join links l on l.deal_id = r.id)
  select deal_id
    from links`;

export async function moveDealContacts(tx: MergeTx): Promise<number> {
  const moved = await tx.sql(moveContacts, [tx.survivor, tx.merged, tx.actor]);
  return moved.length;
}

const moveConversation = `
  with links as materialized (
    select deal_id, created_at
      from deal_conversations
     where organization_id = $1
       and conversation_id = $2),
  copied as (
    insert into deal_conversations (organization_id, conversation_id, deal_id, created_at)
    select $1, $3, deal_id, created_at
      from links
    on conflict do nothing
    returning deal_id),
  raised as (
    update deals k
       set revision = k.revision + 1,
           updated_at = clock_timestamp(),
           source_conversation_id = case k.source_conversation_id when $2 then $3 else k.source_conversation_id end
     where k.organization_id = $1
       and (k.id = any(array(select deal_id from links)) or k.source_conversation_id = $2)
    returning k.id, k.revision, old.source_conversation_id as source, new.source_conversation_id as new_source)
  insert into crm_history (organization_id, object_kind, object_id, revision, actor, changes)
  select $1, 'deal', r.id, r.revision, $4,
         case when l.deal_id is null then '{}' else jsonb_build_object('conversations', jsonb_build_object(
           'from', jsonb_build_array($2::uuid),
           'to', case when c.deal_id is null then '[]' else jsonb_build_array($3::uuid) end)) end
         || case when r.source is not distinct from r.new_source then '{}' else jsonb_build_object('source_conversation_id',
           jsonb_build_object('from', r.source, 'to', r.new_source)) end
    from raised r
    left join links l on l.deal_id = r.id
    left join copied c on c.deal_id = r.id`;

/** The deals of a conversation that ends in another one. */
export const moveDealConversations = (tx: MergeTx, { from, into }: { from: string; into: string }) =>
  tx.sql(moveConversation, [from, into, tx.actor]);
