import type { Own } from '../database/own.ts';
import { statement } from '../database/statement.ts';
import type { RowOf } from '../database/tables.ts';
import { Job } from './jobs.entity.ts';

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

const operationById = statement((select, { id }: { id: string }) =>
  select(Job).select(columns).where('id', '=', id).where('visible', '=', true),
);

export async function findOperation(own: Own, id: string): Promise<OperationRow | undefined> {
  const [row] = await operationById(own, { id });
  return row;
}
