import type { Database } from '../../platform/database/database.ts';
import type { Own } from '../../platform/database/own.ts';
import { queryPlanned } from '../../platform/database/query.ts';
import { bindTo } from '../../platform/listing/bind.ts';
import { type Listing, listingSql, readListing } from '../../platform/listing/listing.ts';
import { commonSql } from '../../platform/listing/table.ts';
import { segmentsOf } from '../../segments/segments.ts';
import { segmentCondition } from '../../segments/selection.ts';
import type { ForEach } from '../definition/definition.ts';
import { type Kind, kindOf, type Subject } from './kinds.ts';

/** `last`: where the next batch goes on; null: that was all. */
export type Batch<Row = Subject> = { rows: Row[]; last: string | null };
export type Source = { database: Database; own: Own };

export const lowestId = '00000000-0000-0000-0000-000000000000';

function listingOf({ table, order }: Kind, { filters = [], any, search, tags = [] }: ForEach): Listing {
  const tagged = tags.map((value) => ({ field: 'tags', operator: 'eq', value }));
  return readListing('for_each', table.fields, {
    search,
    filters: [...filters, ...tagged],
    any,
    location: 'body',
    usual: order,
  });
}

/** The next subjects of a stored listing, by their ids. Throws 422 for what it names that is not there any more. */
export async function readSubjects(
  { database, own }: Source,
  forEach: ForEach,
  after: string | null,
  size: number,
): Promise<Batch> {
  const kind = await kindOf(own, forEach.kind);
  const segments = await segmentsOf(own, forEach.segment_ids ?? []);
  const params: unknown[] = [own.organizationId];
  const bind = bindTo(params);
  const { from, where, rest } = listingSql(kind.table, listingOf(kind, forEach), bind);
  const ofSegments = segments.map((segment) => segmentCondition(segment, bind)).join(' or ');
  // SQL: conditions of any listing, planned for their values; in the order of the ids.
  const text = `
    select k.id, ${kind.contact} as contact_id
      from ${kind.table.name} k${from}
     where k.organization_id = $1${commonSql(kind.table, bind)}${where}${rest}${ofSegments && ` and (${ofSegments})`}
       and k.id > ${bind(after ?? lowestId)}::uuid
     order by k.id
     limit ${bind(size)}`;
  const found = await queryPlanned<{ id: string; contact_id: string | null }>(database, text, params);
  const rows = found.map(({ id, contact_id }) => ({ subjectType: kind.subjectType, subjectId: id, contactId: contact_id }));
  return { rows, last: found.length === size ? found.at(-1)!.id : null };
}
