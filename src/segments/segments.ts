import { sql } from 'kysely';
import { now } from '../platform/database/columns.ts';
import type { Own, Runs, Select } from '../platform/database/own.ts';
import { statement } from '../platform/database/statement.ts';
import type { RowOf } from '../platform/database/tables.ts';
import { AppError, invalidField, maxDetails, notFound } from '../platform/errors.ts';
import { uuidv7 } from '../platform/ids.ts';
import { subjectLock } from '../platform/ledger/locks.ts';
import type { OwnTx } from '../platform/ledger/tx.ts';
import { list, type Page } from '../platform/listing/paging.ts';
import { Segment, type SegmentKind } from './segment.entity.ts';
import { readSelection, type Selection } from './selection.ts';

export const maxSegments = 500;

/** Held by whoever names a segment: the limit is exact and names are unique. */
export const segmentsLock = (organizationId: string) => subjectLock('segments', organizationId);
/** Held by whoever adds members to a segment or deletes it. */
export const segmentLock = (id: string) => subjectLock('segment', id);

const columns = [
  'id',
  'name',
  'kind',
  'description',
  'search',
  'filters',
  'tags',
  'count',
  'counted_at',
  'created_at',
  'updated_at',
] as const;
export type SegmentRow = RowOf<typeof Segment, (typeof columns)[number]>;

export type NewSegment = Selection & { name: string; kind: SegmentKind; description: string };
export type SegmentPatch = Partial<Omit<NewSegment, 'kind'>>;

const kept = (select: Select) => select(Segment).select(columns).where('deleted_at', 'is', null);
const byId = statement((select, { id }: { id: string }) => kept(select).where('id', '=', id));
const byIds = statement((select, { ids }: { ids: string[] }) => kept(select).where('id', '=', sql<string>`any(${ids}::uuid[])`));
const named = statement((select, { name }: { name: string }) => kept(select).where(sql`fold(name)`, '=', sql`fold(${name})`));
const countAll = statement((select) =>
  select(Segment).select(sql<number>`count(*)::int`.as('total')).where('deleted_at', 'is', null),
);
const all = list(kept);

export const listSegments = (own: Runs, page: Page) => all(own, {}, page);

/** Throws 404. */
export async function getSegment(own: Runs, id: string): Promise<SegmentRow> {
  const [row] = await byId(own, { id });
  if (!row) throw notFound('Segment');
  return row;
}

/** In the order of the ids. Throws 422 that names each unknown one by its place in `field`. */
export async function segmentsOf(own: Runs, ids: string[], field = 'segment_ids'): Promise<SegmentRow[]> {
  const found = new Map((await byIds(own, { ids })).map((row) => [row.id, row]));
  const message = 'There is no such segment';
  const details = ids.flatMap((id, index) =>
    found.has(id) ? [] : [{ field: `${field}[${index}]`, location: 'body', code: 'segment.unknown', message, value: id }],
  );
  if (details.length > 0)
    throw new AppError('invalid_request', `${details.length} of the segments are unknown`, {
      details: details.slice(0, maxDetails),
    });
  return ids.map((id) => found.get(id)!);
}

/** Needs `segmentsLock`. Throws 409 for a name that is there in any case and accents, 422 at the limit. */
export async function createSegment(tx: OwnTx, { kind, ...given }: NewSegment): Promise<SegmentRow> {
  tx.assertLocked(segmentsLock(tx.organizationId));
  assertSelection(kind, given);
  await assertFree(tx, given.name);
  const [counted] = await countAll(tx, {});
  if (counted!.total >= maxSegments)
    throw new AppError('limit_reached', `An organization has at most ${maxSegments} segments: delete one first`);
  const id = uuidv7();
  await tx.insert(Segment, { ...given, id, kind, count: null, counted_at: null, deleted_at: null });
  return getSegment(tx, id);
}

/** What is not given stays. Needs `segmentsLock`. Throws 404, 409, 422. */
export async function changeSegment(tx: OwnTx, id: string, patch: SegmentPatch): Promise<SegmentRow> {
  tx.assertLocked(segmentsLock(tx.organizationId));
  const before = await getSegment(tx, id);
  const { search = before.search, filters = before.filters, tags = before.tags } = patch;
  assertSelection(before.kind, { search, filters, tags });
  if (patch.name !== undefined) await assertFree(tx, patch.name, id);
  const isSame = patch.search === undefined && patch.filters === undefined && patch.tags === undefined;
  // The count is one of other contacts now.
  const uncounted = isSame ? {} : { count: null, counted_at: null };
  await tx.update(Segment, { id, deleted_at: null }, { ...patch, ...uncounted, updated_at: now() });
  return getSegment(tx, id);
}

/** SQL: campaigns are an upper domain. Those that have ended free their segments. */
export const usedStatement = `
  select count(*)::int as total
    from campaign_segments
   where organization_id = $1
     and segment_id = $2`;

/** Its members are left to the purge: they may be millions. Needs `segmentLock`. Throws 404, and 409 while campaigns need it. */
export async function deleteSegment(tx: OwnTx, id: string): Promise<void> {
  tx.assertLocked(segmentLock(id));
  const deleted = await tx.update(Segment, { id, deleted_at: null }, { deleted_at: now() });
  if (deleted === 0) throw notFound('Segment');
  // After the update, which waits for whoever takes the segment into a campaign.
  const [used] = await tx.sql<{ total: number }>(usedStatement, [id]);
  if (used!.total > 0) throw new AppError('conflict', inUse(used!.total));
}

const inUse = (total: number) =>
  `The segment is used by ${total === 1 ? 'a campaign that has' : `${total} campaigns that have`} not ended`;

function assertSelection(kind: SegmentKind, selection: Selection): void {
  if (kind === 'dynamic') {
    readSelection(selection);
    return;
  }
  for (const field of ['search', 'filters', 'tags'] as const)
    if ((selection[field]?.length ?? 0) > 0)
      throw invalidField(field, `A static segment has members and no ${field}`, 'segment.static');
}

async function assertFree(own: Own, name: string, except?: string): Promise<void> {
  const [other] = await named(own, { name });
  if (!other || other.id === except) return;
  const message = 'Another segment has this name';
  throw new AppError('conflict', message, {
    details: [{ field: 'name', location: 'body', code: 'segment.name', message, value: other.id }],
  });
}
