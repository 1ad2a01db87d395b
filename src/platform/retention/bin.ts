import type { Em } from '../database/database.ts';
import { query } from '../database/query.ts';
import { type Batch, limitOfAge } from './purge.ts';

/**
 * What was deleted long enough ago, with its history: that has the values of its fields. Links go by their references.
 * SQL: sets of two tables that skip locked rows until next time.
 */
export function binBatch(table: 'deals' | 'crm_tasks' | 'records', where = 'true') {
  const statement = `
    with deleted as (
      delete from ${table}
       where ctid = any(array(
         select ctid from ${table}
          where deleted_at is not null and deleted_at < ${limitOfAge} and ${where}
          order by deleted_at
          limit $2
            for update skip locked))
      returning organization_id, id),
    history as (
      delete from crm_history h
       using deleted d
       where h.organization_id = d.organization_id and h.object_id = d.id)
    select count(*)::int as deleted
      from deleted`;
  return async (em: Em, days: number, limit: number): Promise<Batch> => {
    const [row] = await query<{ deleted: number }>(em, statement, [days, limit]);
    return { deleted: { [table]: row!.deleted }, isLast: row!.deleted < limit };
  };
}
