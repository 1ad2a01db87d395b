import type { Em } from '../database/database.ts';
import { query } from '../database/query.ts';
import { type Batch, limitOfAge } from './purge.ts';

/** SQL: sets that skip locked rows until next time, as `deleteOldest` (purge.ts). Members of deleted segments, the oldest first. */
const deleteMembers = `
  with deleted as (
    delete from segment_members
     where ctid = any(array(
       select m.ctid
         from (
           select organization_id, id
             from segments
            where deleted_at is not null and deleted_at < ${limitOfAge}
            order by deleted_at) s
        cross join lateral (
           select o.ctid
             from segment_members o
            where o.organization_id = s.organization_id and o.segment_id = s.id
            limit $2
              for update skip locked) m
        limit $2))
    returning 1)
  select count(*)::int as deleted
    from deleted`;

/** Those without members. */
const deleteSegments = `
  with deleted as (
    delete from segments
     where ctid = any(array(
       select s.ctid
         from segments s
        where s.deleted_at is not null
          and s.deleted_at < ${limitOfAge}
          and not exists (
            select 1
              from segment_members m
             where m.organization_id = s.organization_id and m.segment_id = s.id)
        order by s.deleted_at
        limit $2
          for update skip locked))
    returning 1)
  select count(*)::int as deleted
    from deleted`;

async function batchOf(statement: string, table: string, em: Em, days: number, limit: number): Promise<Batch> {
  const [row] = await query<{ deleted: number }>(em, statement, [days, limit]);
  return { deleted: { [table]: row!.deleted }, isLast: row!.deleted < limit };
}

export const membersOfDeletedBatch = (em: Em, days: number, limit: number) =>
  batchOf(deleteMembers, 'segment_members', em, days, limit);

export const deletedSegmentsBatch = (em: Em, days: number, limit: number) => batchOf(deleteSegments, 'segments', em, days, limit);
