import type { Em } from '../database/database.ts';
import { type TablesOf, tables } from '../database/tables.ts';
import type { Job, JobError, JobState } from './jobs.entity.ts';

export type OperationRow = {
  id: string;
  name: string;
  state: JobState;
  error: JobError | null;
  subject_type: string;
  subject_id: string;
  progress: Record<string, unknown> | null;
  started_at: string | null;
  created_at: string;
  finished_at: string | null;
};

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
    .select(['id', 'name', 'state', 'error', 'subject_type', 'subject_id', 'progress', 'started_at', 'created_at', 'finished_at'])
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .where('visible', '=', true)
    .$castTo<OperationRow>()
    .executeTakeFirst();
}
