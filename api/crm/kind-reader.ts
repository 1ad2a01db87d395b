import type { Caller } from '../../src/organizations/caller.ts';
import type { Own } from '../../src/platform/database/own.ts';
import { notFound } from '../../src/platform/errors.ts';
import { type Listing, type ListRequest, readListing } from '../../src/platform/listing/listing.ts';
import { type ListPage, type ListRows, listRows } from '../../src/platform/listing/page.ts';
import type { Reads } from '../../src/platform/listing/reads.ts';
import type { ListedTable } from '../../src/platform/listing/table.ts';
import { assertSees, maySee } from '../../src/records/built-in/kind.ts';
import { builtInLists } from '../../src/records/built-in/lists.ts';
import { recordsOf } from '../../src/records/list.ts';
import { getRecord, type RecordRow } from '../../src/records/record-row.ts';
import { relationsToBuiltIn } from '../../src/records/relations.ts';
import { relationshipsOf } from '../../src/records/summary.ts';
import type { ObjectType, Relation } from '../../src/records/types/definition.ts';
import { knownType } from '../../src/records/types/known-type.ts';
import { assertAnswerable } from '../../src/records/types/listing.ts';
import { type BuiltInKind, isBuiltIn } from '../../src/records/types/names.ts';
import { unknownKind } from '../../src/records/types/object-type.ts';
import { builtInViews } from './built-in-views.ts';
import { toRecordView } from './record-schemas.ts';

type Shown = { id: string };

/** How the generic endpoints read the objects of one kind. */
export type KindReader = {
  relations: Relation[];
  /** Throws 400 and 422 as the list of the kind does. */
  listing(request: ListRequest): Listing;
  list(reads: Reads, listing: Listing, page: ListPage & { includeTotal?: boolean }): Promise<ListRows<object>>;
  /** Throws 404. */
  get(reads: Reads, id: string): Promise<object>;
  /** Of a page, with their relations in one statement. */
  shown(rows: object[]): Promise<object[]>;
};

type Kind = {
  table: ListedTable;
  relations: Relation[];
  listing(request: ListRequest): Listing;
  views(rows: object[]): Promise<Shown[]>;
  get?(id: string): Promise<object>;
  /** Throws 422 for what would be compared with each of very many records. */
  assertAnswerable?(listing: Listing): Promise<void>;
};

/** Outside of a transaction. Throws 422 for an unknown kind, 403 without the kind's own scope. */
export async function readerOf(own: Own, caller: Caller, kind: string): Promise<KindReader> {
  if (isBuiltIn(kind)) {
    assertSees(caller, kind);
    return readerOfKind(own, caller, builtInKind(own, kind, await relationsToBuiltIn(own, kind)));
  }
  const type = await knownType(own, kind);
  if (!type) throw unknownKind();
  return readerOfType(own, caller, type);
}

export function readerOfType(own: Own, caller: Caller, type: ObjectType): KindReader {
  const table = recordsOf(type);
  return readerOfKind(own, caller, {
    table,
    relations: type.relations,
    listing: (request) => readListing(`records ${type.kind}`, table.fields, request),
    views: async (rows) => (rows as RecordRow[]).map((row) => toRecordView(type, row)),
    get: (id) => getRecord(own, { typeId: type.id, id }),
    assertAnswerable: (listing) => assertAnswerable(own, type, listing),
  });
}

const builtInKind = (own: Own, kind: BuiltInKind, relations: Relation[]): Kind => ({
  table: builtInLists[kind].table,
  relations,
  listing: builtInLists[kind].read,
  views: (rows) => builtInViews[kind](own, rows as never),
});

function readerOfKind(own: Own, caller: Caller, kind: Kind): KindReader {
  const list: KindReader['list'] = async (reads, listing, page) => {
    await kind.assertAnswerable?.(listing);
    return listRows(reads, kind.table, own.organizationId, listing, page);
  };
  return {
    relations: kind.relations,
    listing: kind.listing,
    list,
    async get(reads, id) {
      if (kind.get) return kind.get(id);
      const listing = kind.listing({ filters: JSON.stringify([{ field: 'id', value: id }]) });
      const [row] = (await list(reads, listing, { limit: 1 })).rows;
      if (!row) throw notFound('Record');
      return row;
    },
    async shown(rows) {
      const views = await kind.views(rows);
      const ids = views.map(({ id }) => id);
      const of = await relationshipsOf(own, kind.relations, ids, (other) => maySee(caller, other));
      return views.map((one) => ({ ...one, relationships_summary: of(one.id) }));
    },
  };
}
