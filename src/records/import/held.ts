import { holdContacts } from '../../contacts/identities/named.ts';
import type { ImportRequest } from '../../imports/import.entity.ts';
import type { RowOf } from '../../platform/database/tables.ts';
import type { OwnTx } from '../../platform/ledger/tx.ts';
import { tableOf } from '../display-names.ts';
import { endsOf, isSingle, lockOfOther } from '../links.ts';
import type { CrmRecord } from '../record.entity.ts';
import { recordLock } from '../record-row.ts';
import { isObjectLive, isRecordLive } from '../summary.ts';
import type { ObjectType, Relation } from '../types/definition.ts';
import { isBuiltIn } from '../types/names.ts';
import type { ObjectType as ObjectTypeEntity } from '../types/type.entity.ts';
import { type Looked, namedRecords } from './look.ts';
import type { ReadRecord } from './row.ts';

/** What a record says. */
export type Content = RowOf<typeof CrmRecord, 'fields' | 'custom_fields' | 'metadata'>;
export type StoredRecord = Content & RowOf<typeof CrmRecord, 'id' | 'revision'> & RowOf<typeof ObjectTypeEntity, 'kind'>;

/** A link that is there, or hidden by the bin. */
export type StoredLink = { id: string; relation_id: string; from: string; to: string; isLive: boolean };

/** All that the rows refer to, until the transaction ends. */
export type Held = {
  records: Map<string, StoredRecord>;
  /** Contacts, conversations, deals and tasks, as `<kind> <id>`. */
  objects: Set<string>;
  links: StoredLink[];
};

/** SQL: sets in the order of ids; those of other types are the other ends of links. */
const holdRecords = `
  select k.id, t.kind, k.revision, k.fields, k.custom_fields, k.metadata
    from records k
    join object_types t on t.organization_id = k.organization_id and t.id = k.type_id
   where k.organization_id = $1
     and k.id = any($2::uuid[])
     and k.deleted_at is null
   order by k.id
     for no key update of k`;
const holdObjects = (table: string, isLive: string) => `
  select o.id
    from ${table} o
   where o.organization_id = $1
     and o.id = any($2::uuid[])${isLive}
   order by o.id
     for key share`;
const builtIns = (['conversation', 'deal', 'task'] as const).map((kind) => {
  const { table, hasBin } = tableOf(kind);
  return { kind, text: holdObjects(table, hasBin ? ' and o.deleted_at is null' : '') };
});

/** SQL: each pair by the unique indexes of the links, whose rows leave room or not. */
const existing = `
  select l.id, l.relation_id, l.record_id as "from", l.object_id as "to", ${isObjectLive} and ${isRecordLive} as "isLive"
    from unnest($2::uuid[], $3::uuid[], $4::uuid[]) as x(relation_id, record_id, object_id),
         lateral (
           select a.*
             from record_links a
            where a.organization_id = $1 and a.relation_id = x.relation_id
              and a.record_id = x.record_id and a.object_id = x.object_id
            union all
           select a.*
             from record_links a
            where a.organization_id = $1 and a.relation_id = x.relation_id
              and a.record_id = x.record_id and a.object_id <> x.object_id and a.is_single_from
            union all
           select a.*
             from record_links a
            where a.organization_id = $1 and a.relation_id = x.relation_id
              and a.object_id = x.object_id and a.record_id <> x.record_id and a.is_single_to) l`;

/** In the order of all writers: contacts, other objects, records. Throws LocksOutdated. */
export async function holdAll(
  tx: OwnTx,
  type: ObjectType,
  request: ImportRequest,
  looked: Looked,
  rows: ReadRecord[],
): Promise<Held> {
  const ends = rows.flatMap((row) =>
    row.links.flatMap(({ relation, named }) => {
      const otherId = looked.otherOf(named);
      return otherId === undefined ? [] : [{ row, relation, otherId }];
    }),
  );
  for (const end of ends) for (const lock of lockOfOther(end)) tx.assertLocked(lock);
  const idsOf = (kind: string) => ends.filter(({ relation }) => relation.kind === kind).map(({ otherId }) => otherId);
  const objects = new Set([...(await holdContacts(tx, idsOf('contact')))].map((id) => `contact ${id}`));
  for (const { kind, text } of builtIns) {
    const ids = idsOf(kind);
    if (ids.length === 0) continue;
    for (const { id } of await tx.sql<{ id: string }>(text, [ids])) objects.add(`${kind} ${id}`);
  }
  const own = rows.flatMap((row) => namedRecords(type, request, looked, row));
  for (const id of own) tx.assertLocked(recordLock(id));
  const others = ends.filter(({ relation }) => !isBuiltIn(relation.kind)).map(({ otherId }) => otherId);
  const ids = [...new Set([...own, ...others])];
  const found = ids.length === 0 ? [] : await tx.sql<StoredRecord>(holdRecords, [ids]);
  const pairs = ends.flatMap(({ row, relation, otherId }) =>
    namedRecords(type, request, looked, row).map((id) => pairOf(id, relation, otherId)),
  );
  // A new record has no links, but its other end may have one that leaves no room.
  const taken = ends
    .filter(({ relation }) => isTaken(relation))
    .map(({ relation, otherId }) => pairOf(nobody, relation, otherId));
  return {
    records: new Map(found.map((record) => [record.id, record])),
    objects,
    links: await findLinks(tx, [...pairs, ...taken]),
  };
}

const nobody = '00000000-0000-0000-0000-000000000000';
type Pair = { relationId: string; from: string; to: string };
const pairOf = (id: string, relation: Relation, otherId: string): Pair => ({
  relationId: relation.id,
  ...endsOf(id, { relation, otherId }),
});

/** The other end has one at most. */
const isTaken = (relation: Relation) => {
  const { isSingleFrom, isSingleTo } = isSingle(relation);
  return relation.isInverse ? isSingleFrom : isSingleTo;
};

async function findLinks(tx: OwnTx, pairs: Pair[]): Promise<StoredLink[]> {
  if (pairs.length === 0) return [];
  const found = await tx.sql<StoredLink>(existing, [
    pairs.map(({ relationId }) => relationId),
    pairs.map(({ from }) => from),
    pairs.map(({ to }) => to),
  ]);
  return [...new Map(found.map((link) => [link.id, link])).values()];
}
