import type { Em } from '../database/database.ts';
import { type RowOf, type TablesOf, tables } from '../database/tables.ts';
import type { Job } from './jobs.entity.ts';

const columns = [
  'id',
  'name',
  'state',
  'error',
  'subject_type',
  'subject_id',
  'progress',
  'started_at',
  'created_at',
  'finished_at',
] as const;
export type OperationRow = RowOf<typeof Job, (typeof columns)[number]>;

export type OperationStatus = 'queued' | 'running' | 'succeeded' | 'failed';

export const operationStatus = ({ state, started_at }: Pick<OperationRow, 'state' | 'started_at'>): OperationStatus => {
  if (state === 'done') return 'succeeded';
  if (state === 'failed') return 'failed';
  return started_at ? 'running' : 'queued';
};

/** A visible job of the organization. */
export async function findOperation(em: Em, organizationId: string, id: string): Promise<OperationRow | undefined> {
  return tables<TablesOf<typeof Job>>(em)
    .selectFrom('jobs')
    .select(columns)
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .where('visible', '=', true)
    .executeTakeFirst();
}
