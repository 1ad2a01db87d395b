import type { Own } from '../platform/database/own.ts';
import type { OwnTx } from '../platform/ledger/tx.ts';
import { bindTo } from '../platform/listing/bind.ts';
import type { Ask } from '../platform/listing/paging.ts';
import { getSegment, type SegmentRow } from './segments.ts';
import { segmentCondition } from './selection.ts';

/** As far as a count goes: it stands for that many or more. */
export const maxCount = 100_000;

/** SQL: conditions of any segment, read no further than the bound. Members are counted without their contacts. */
export async function countSegment(ask: Ask, { organizationId }: Own, segment: SegmentRow): Promise<number> {
  const params: unknown[] = [organizationId];
  const bind = bindTo(params);
  const found =
    segment.kind === 'static'
      ? `from segment_members k
         where k.organization_id = $1 and k.segment_id = ${bind(segment.id)}::uuid`
      : `from contacts k
         where k.organization_id = $1 and ${segmentCondition(segment, bind)}`;
  const text = `
    select count(*)::int as count
      from (
        select 1
        ${found}
         limit ${bind(maxCount)}) found`;
  const [counted] = await ask<{ count: number }>(text, params);
  return counted!.count;
}

/** SQL: not when it was changed since it was read: the count is one of other contacts. */
const keep = `
  update segments
     set count = $3, counted_at = clock_timestamp()
   where organization_id = $1
     and id = $2
     and updated_at = $4
     and deleted_at is null`;

/** Throws 404. */
export async function keepCount(tx: OwnTx, { id, updated_at }: SegmentRow, count: number): Promise<SegmentRow> {
  await tx.sql(keep, [id, count, updated_at]);
  return getSegment(tx, id);
}
