import { type SqlBool, sql } from 'kysely';
import type { Own } from '../database/own.ts';
import { statement } from '../database/statement.ts';
import type { RowOf } from '../database/tables.ts';
import { type Ask, type Page, pageOfQuery } from '../listing/paging.ts';
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

export const operationStatuses = ['queued', 'running', 'paused', 'succeeded', 'failed', 'cancelled'] as const;
export type OperationStatus = (typeof operationStatuses)[number];

/** One that was called off is `done`, as nothing is left to do, with an error that says so. */
export const operationStatus = ({ state, started_at, error }: Pick<OperationRow, 'state' | 'started_at' | 'error'>) => {
  if (state === 'done') return error ? 'cancelled' : 'succeeded';
  if (state === 'failed' || state === 'paused') return state;
  return started_at ? 'running' : 'queued';
};

const operationById = statement((select, { id }: { id: string }) =>
  select(Job)
    .select([...columns, 'lane', 'payload'])
    .where('id', '=', id)
    .where('visible', '=', true),
);

export async function findOperation(own: Own, id: string) {
  const [row] = await operationById(own, { id });
  return row;
}

export type OperationFilter = {
  name?: string;
  status?: OperationStatus;
  since?: string;
  until?: string;
  /** What the caller may see; undefined: all. */
  subjectTypes?: string[];
};

/** No parameter: the indexes of operations hold these rows alone. */
const isVisible = sql<SqlBool>`visible`;
const live = ['blocked', 'waiting', 'queued'] as const;

export function listOperations(ask: Ask, own: Own, { name, status, since, until, subjectTypes }: OperationFilter, page: Page) {
  let rows = own.select(Job).select(columns).where(isVisible);
  if (name) rows = rows.where('name', '=', name);
  if (subjectTypes) rows = rows.where('subject_type', 'in', subjectTypes);
  if (since) rows = rows.where('created_at', '>=', since);
  if (until) rows = rows.where('created_at', '<', until);
  if (status === 'queued') rows = rows.where('state', 'in', live).where('started_at', 'is', null);
  if (status === 'running') rows = rows.where('state', 'in', live).where('started_at', 'is not', null);
  if (status === 'paused' || status === 'failed') rows = rows.where('state', '=', status);
  if (status === 'succeeded') rows = rows.where('state', '=', 'done').where('error', 'is', null);
  if (status === 'cancelled') rows = rows.where('state', '=', 'done').where('error', 'is not', null);
  return pageOfQuery(ask, rows, page);
}
