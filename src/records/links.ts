import { linksChange } from '../history/history.entity.ts';
import { brokenReference, violatedConstraint } from '../platform/database/errors.ts';
import type { Own } from '../platform/database/own.ts';
import { AppError, notFound } from '../platform/errors.ts';
import { subjectLock } from '../platform/ledger/locks.ts';
import type { OwnTx } from '../platform/ledger/tx.ts';
import { tableOf } from './display-names.ts';
import { dropHidden } from './hidden-links.ts';
import type { RecordTx } from './record-tx.ts';
import { isObjectLive, isRecordLive, nameOfLinked } from './summary.ts';
import type { ObjectType, Relation } from './types/definition.ts';

/** The other end of a relation, as the record that is changed sees it. */
export type OtherEnd = { relation: Relation; otherId: string };

/** The change of the other end. */
export type SeenFromThere = ReturnType<typeof linksChange>;

/** What has a bin is not put into it while it is linked. What has none holds its row by the foreign key. */
export const lockOfOther = ({ relation: { kind }, otherId }: OtherEnd): string[] =>
  tableOf(kind).hasBin ? [subjectLock(subjectOf(kind), otherId)] : [];

const subjectOf = (kind: string) => (kind === 'deal' || kind === 'task' ? kind : 'record');

export const isSingle = ({ cardinality }: Relation) => ({
  isSingleFrom: cardinality === 'one_to_one' || cardinality === 'many_to_one',
  isSingleTo: cardinality === 'one_to_one' || cardinality === 'one_to_many',
});

/** The columns `record_id` and the other end's, whichever end the link is made from. */
export const endsOf = (recordId: string, { relation: { isInverse }, otherId }: OtherEnd) =>
  isInverse ? { from: otherId, to: recordId } : { from: recordId, to: otherId };

/** SQL: links that leave no room for this one, and the one that is there already. */
const inTheWay = `
  select l.id, l.record_id as "from", l.object_id as "to", ${isObjectLive} and ${isRecordLive} as "isLive"
    from record_links l
   where l.organization_id = $1
     and l.relation_id = $2
     and ((l.record_id = $3 and (l.object_id = $4 or $5::boolean)) or (l.object_id = $4 and $6::boolean))`;
type InTheWay = { id: string; from: string; to: string; isLive: boolean };

/**
 * Links it, once. Returns what the other end sees of it, if there was no such link. Throws 409 where the cardinality leaves no room.
 * Needs the locks of both ends, and the other end held.
 */
export async function link(tx: RecordTx, end: OtherEnd): Promise<SeenFromThere | undefined> {
  const { relation } = end;
  for (const lock of lockOfOther(end)) tx.assertLocked(lock);
  const { from, to } = endsOf(tx.record.id, end);
  const single = isSingle(relation);
  const found = await tx.sql<InTheWay>(inTheWay, [relation.id, from, to, single.isSingleFrom, single.isSingleTo]);
  if (found.some((one) => one.from === from && one.to === to)) return undefined;
  const taken = found.find(({ isLive }) => isLive);
  if (taken) throw noRoom(relation, taken.from === from ? taken.to : taken.from);
  const left = { here: null as string | null, there: null as string | null };
  for (const hidden of found) {
    const isHere = (hidden.from === from) !== relation.isInverse;
    left[isHere ? 'here' : 'there'] = hidden.from === from ? hidden.to : hidden.from;
    await dropHidden(tx, relation, { ...hidden, keeps: hidden.from === from ? 'from' : 'to' });
  }
  const column = tableOf(relation.isInverse ? '' : relation.kind).linkColumn;
  await tx
    .sql(
      `insert into record_links (organization_id, id, relation_id, record_id, ${column}, is_single_from, is_single_to)
       values ($1, uuidv7(), $2, $3, $4, $5, $6)`,
      [relation.id, from, to, single.isSingleFrom, single.isSingleTo],
    )
    .catch((error: unknown) => {
      // At the same time, from an end that has no lock.
      if (violatedConstraint(error)?.startsWith('record_links_single')) throw noRoom(relation);
      if (brokenReference(error)) throw notFound('Related object');
      throw error;
    });
  tx.changed(relation.name, linksChange(left.here, end.otherId));
  return linksChange(left.there, tx.record.id);
}

/** Throws 404 where there is no link. Needs the record's lock. */
export async function unlink(tx: RecordTx, end: OtherEnd): Promise<SeenFromThere> {
  const { from, to } = endsOf(tx.record.id, end);
  const removed = await tx.sql(
    `delete from record_links
      where organization_id = $1 and relation_id = $2 and record_id = $3 and object_id = $4
     returning id`,
    [end.relation.id, from, to],
  );
  if (removed.length === 0) throw notFound('Link');
  tx.changed(end.relation.name, linksChange(end.otherId, null));
  return linksChange(tx.record.id, null);
}

/** It stays until the transaction ends. Before the record's own row: a merge of contacts holds them in this order. Throws 404. */
export async function holdOther(tx: OwnTx, { relation: { kind, id, isInverse }, otherId }: OtherEnd) {
  const { table, hasBin } = tableOf(kind);
  const typeColumn = isInverse ? 'type_id' : 'to_type_id';
  const isOfType =
    table === 'records'
      ? `and o.type_id = (select r.${typeColumn} from object_relations r where r.organization_id = $1 and r.id = $3)`
      : 'and $3::uuid is not null';
  const found = await tx.sql(
    `select o.id
       from ${table} o
      where o.organization_id = $1 and o.id = $2 ${hasBin ? 'and o.deleted_at is null' : ''} ${isOfType}
        for key share of o`,
    [otherId, id],
  );
  if (found.length === 0) throw notFound('Related object');
}

const noRoom = ({ name }: Relation, taken?: string) => {
  const message = `The relation ${name} leaves no room: unlink what is there first`;
  return new AppError('conflict', message, {
    details: [{ field: 'otherID', location: 'path', code: 'relation.taken', message, ...(taken && { value: taken }) }],
  });
};

/** SQL: of each record its live links through relations that keep it. */
const restricting = `
  select k.id, case when l.record_id = k.id then r.name else r.inverse_name end as name, count(*)::int as total
    from unnest($2::uuid[]) as k(id)
   cross join object_relations r
   cross join lateral (
           select f.*
             from record_links f
            where f.organization_id = $1 and f.relation_id = r.id and f.record_id = k.id
            union
           select t.*
             from record_links t
            where t.organization_id = $1 and t.relation_id = r.id and t.object_id = k.id and t.to_record_id = k.id) l
   where r.organization_id = $1
     and r.id = any($3::uuid[])
     and ${isObjectLive}
     and ${isRecordLive}
   group by 1, 2
   order by 1, 2`;
type Keeping = { id: string; name: string; total: number };

/** Of those that a relation with `on_delete: restrict` links to something: the 409. */
export async function refusalsToGo(tx: Own, { relations }: ObjectType, ids: string[]): Promise<Map<string, AppError>> {
  const keeping = relations.filter(({ onDelete }) => onDelete === 'restrict').map(({ id }) => id);
  if (keeping.length === 0 || ids.length === 0) return new Map();
  const found = Map.groupBy(await tx.sql<Keeping>(restricting, [ids, keeping]), ({ id }) => id);
  return new Map([...found].map(([id, links]) => [id, keptBy(links)]));
}

function keptBy(links: Keeping[]): AppError {
  const message = 'It is linked to what keeps it: unlink that first';
  return new AppError('conflict', message, {
    details: links.map(({ name, total }) => ({
      field: name,
      location: 'path',
      code: 'relation.restrict',
      message,
      value: String(total),
    })),
  });
}

/** Throws 409 while a relation with `on_delete: restrict` links the record to something. */
export async function assertMayGo(tx: RecordTx): Promise<void> {
  const refusal = (await refusalsToGo(tx, tx.type, [tx.record.id])).get(tx.record.id);
  if (refusal) throw refusal;
}

export type LinkRow = { id: string; object_id: string; created_at: string; display_name: string };

/** SQL: both directions; the names are of any kind. */
const linked = (side: 'record_id' | 'object_id', shown: string, isLive: string) => `
  select x.id, x.shown_id as object_id, x.created_at, ${nameOfLinked('x')} as display_name
    from (
      select l.id, l.created_at, ${shown}
        from record_links l
       where l.organization_id = $1
         and l.relation_id = $2
         and l.${side} = $3
         and ($4::uuid is null or l.id < $4::uuid)
         and ${isLive}
       order by l.id desc
       limit $5) x
   order by x.id desc`;
const forward = linked(
  'record_id',
  'l.object_id as shown_id, l.contact_id, l.conversation_id, l.deal_id, l.task_id, l.to_record_id',
  isObjectLive,
);
const backward = linked(
  'object_id',
  'l.record_id as shown_id, null::uuid as contact_id, null::uuid as conversation_id, null::uuid as deal_id, null::uuid as task_id, l.record_id as to_record_id',
  isRecordLive,
);

/** The links made last come first; one row more than the limit. `after`: the last link of the page before. */
export const listLinks = (
  own: Own,
  { id, isInverse }: Relation,
  objectId: string,
  { limit, after }: { limit: number; after?: string },
): Promise<LinkRow[]> => own.sql<LinkRow>(isInverse ? backward : forward, [id, objectId, after ?? null, limit + 1]);
