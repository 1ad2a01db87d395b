import type { Remains } from '../../contacts/erasure/erase.ts';
import type { HistoryKind } from '../../history/history.entity.ts';
import type { Own } from '../../platform/database/own.ts';
import { addressesOf, patternsOf } from './scrub-records.ts';

/** Rows of a statement, and statements of a run: then the place is kept, and the job goes on in another run. */
const batch = 500;
const maxBatches = 100;

/**
 * SQL: a page of the organization's history by its key. A row counts if an address stands in it, as in the bin, or the id of the person or
 * of a conversation of theirs, which is the other end of a link that came or went.
 */
const page = `
  with seen as materialized (
    select object_id, revision, object_kind, changes::text as changes
      from crm_history
     where organization_id = $1
       and (object_id, revision) > ($2::uuid, $3::int)
     order by object_id, revision
     limit ${batch}),
  found as (
    select s.object_kind as kind, s.object_id as id, bool_or(w.text like any($6::text[])) as was_linked
      from seen s,
   lateral (select casefold(s.changes collate pg_unicode_fast) as text, regexp_replace(s.changes, '\\D', '', 'g') as digits) w
     where w.text like any($4::text[])
        or w.digits like any($5::text[])
        or w.text like any($6::text[])
     group by s.object_kind, s.object_id)
  select l.object_id, l.revision,
         (select count(*)::int from seen) as seen,
         (select coalesce(jsonb_agg(to_jsonb(f)), '[]') from found f) as found
    from (select object_id, revision from seen order by object_id desc, revision desc limit 1) l`;
type Place = { object_id: string; revision: number };
type Page = Place & { seen: number; found: { kind: HistoryKind; id: string; was_linked: boolean }[] };

/** SQL: as of the deals that the person had at the end. */
const tasksOfDeals = `
  select distinct task_id as id
    from task_targets
   where organization_id = $1
     and deal_id = any($2::uuid[])`;

const listOf = { deal: 'deals', task: 'tasks', record: 'records' } as const;
type Lists = Record<(typeof listOf)[HistoryKind], string[]>;

const beginning: Place = { object_id: '00000000-0000-0000-0000-000000000000', revision: 0 };

/**
 * Finds what the rows of today do not tell: what was linked to the person once joins what was linked at the end, and `history` has what holds
 * or held an address, in a value that was changed since or a field that is gone. A run reads a part of the history. It changes nothing.
 */
export async function searchHistory(own: Own, remains: Remains): Promise<Remains & Required<Pick<Remains, 'history'>>> {
  const { texts, digits } = patternsOf(addressesOf(remains.identities));
  const ids = [...remains.ids, ...remains.conversations].map((id) => `%${id}%`);
  const linked: Lists = { deals: [], tasks: [], records: [] };
  const holding: Lists = { deals: [], tasks: [], records: [] };
  let after = remains.history ? remains.history.after : beginning;
  for (let batches = 0; after !== null && batches < maxBatches; batches += 1) {
    const [row]: Page[] = await own.sql<Page>(page, [after.object_id, after.revision, texts, digits, ids]);
    for (const { kind, id, was_linked } of row?.found ?? []) (was_linked ? linked : holding)[listOf[kind]].push(id);
    after = row?.seen === batch ? { object_id: row.object_id, revision: row.revision } : null;
  }
  const tasks = linked.deals.length === 0 ? [] : await own.sql<{ id: string }>(tasksOfDeals, [linked.deals]);
  linked.tasks.push(...tasks.map(({ id }) => id));
  const before = remains.history ?? { deals: [], tasks: [], records: [] };
  return { ...remains, ...together(remains, linked), history: { after, ...together(before, holding) } };
}

const together = (some: Lists, others: Lists): Lists => ({
  deals: union(some.deals, others.deals),
  tasks: union(some.tasks, others.tasks),
  records: union(some.records, others.records),
});
const union = (some: string[], others: string[]) => [...new Set([...some, ...others])];
