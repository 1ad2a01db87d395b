import type { OwnTx } from '../platform/ledger/tx.ts';
import type { MergeTx } from './merging/merge-tx.ts';

/** SQL (all of this file): records and their links are tables of a domain above, which contacts must not import. */

type Column = 'contact_id' | 'conversation_id';

/**
 * One revision and one row of history for each record of `linked`, by the relation's names. No event tells of it: the contact's own
 * does. The rows are locked after the contact's or the conversation's, as by who links them.
 */
const noted = `
  held as materialized (
    select r.id
      from records r
     where r.organization_id = $1
       and r.id = any(array(select id from linked))
     order by r.id
       for update),
  raised as (
    update records r
       set revision = r.revision + 1, updated_at = clock_timestamp()
      from held
     where r.organization_id = $1
       and r.id = held.id
    returning r.id, r.revision)
  insert into crm_history (organization_id, object_id, revision, object_kind, actor, changes)
  select $1, raised.id, raised.revision, 'record', $4, linked.changes
    from raised
    join linked on linked.id = raised.id`;

/**
 * What the survivor is linked to in the bin makes room for what the merged contact is linked to. $4 is the actor. The rows are locked
 * before the look at the bin: what is restored at the same time keeps its link.
 */
const dropStale = (column: Column) => `
  with stale as materialized (
    select s.id, s.record_id, s.relation_id
      from record_links s
      join records r on r.organization_id = $1 and r.id = s.record_id and r.deleted_at is not null
     where s.organization_id = $1
       and s.${column} = $2
       and s.is_single_to
       and exists (
         select 1
           from record_links o
          where o.organization_id = $1 and o.${column} = $3 and o.relation_id = s.relation_id)
     order by r.id
       for update of r),
  dropped as (
    delete from record_links l
     using stale
     where l.organization_id = $1 and l.id = stale.id),
  linked as (
    select stale.record_id as id,
           jsonb_object_agg(n.name, jsonb_build_object('from', jsonb_build_array($2::uuid), 'to', '[]'::jsonb)) as changes
      from stale
      join object_relations n on n.organization_id = $1 and n.id = stale.relation_id
     group by stale.record_id),
  ${noted}`;

/** Leaves behind a link that the survivor has already, or that its cardinality has no room for. */
const moveLinks = (column: Column) => `
  update record_links o
     set ${column} = $2
   where o.organization_id = $1
     and o.${column} = $3
     and not exists (
       select 1
         from record_links s
        where s.organization_id = $1
          and s.relation_id = o.relation_id
          and s.${column} = $2
          and (s.record_id = o.record_id or o.is_single_to))
  returning o.id`;

/** What becomes of each link of $2: it moves to $3, or ends. */
const noteEach = (column: Column) => `
  with linked as (
    select l.record_id as id, jsonb_object_agg(n.name, jsonb_build_object('from', jsonb_build_array($2::uuid), 'to', to_jsonb(array_remove(array[l.becomes], null)))) as changes
      from (
        select o.record_id, o.relation_id,
               case when $3::uuid is not null and not exists (
                 select 1
                   from record_links s
                  where s.organization_id = $1
                    and s.relation_id = o.relation_id
                    and s.${column} = $3
                    and (s.record_id = o.record_id or o.is_single_to)) then $3::uuid end as becomes
          from record_links o
         where o.organization_id = $1
           and o.${column} = $2) l
      join object_relations n on n.organization_id = $1 and n.id = l.relation_id
     group by l.record_id),
  ${noted}`;

const textsOf = (column: Column) => ({ dropStale: dropStale(column), moveLinks: moveLinks(column), noteEach: noteEach(column) });
const texts = { contact: textsOf('contact_id'), conversation: textsOf('conversation_id') };

/** What was linked to `from` is linked to `into`, once and as the cardinality allows. */
export async function moveRecordLinks(tx: MergeTx, kind: keyof typeof texts, { from, into }: { from: string; into: string }) {
  const { dropStale, noteEach, moveLinks } = texts[kind];
  await tx.sql(dropStale, [into, from, tx.actor]);
  await tx.sql(noteEach, [from, into, tx.actor]);
  await tx.sql(moveLinks, [into, from]);
}

/** Before the contact goes, and its links with it. */
export const noteLinksEnd = (tx: OwnTx, contactId: string) => tx.sql(texts.contact.noteEach, [contactId, null, 'system']);
