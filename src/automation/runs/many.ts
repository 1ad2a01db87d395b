import type { Own } from '../../platform/database/own.ts';
import { statement } from '../../platform/database/statement.ts';
import type { RowOf } from '../../platform/database/tables.ts';
import { Job } from '../../platform/ledger/jobs.entity.ts';
import { stateIs } from '../../platform/ledger/states.ts';
import { Superseded } from '../../platform/ledger/superseded.ts';
import type { OwnTx, RunRef } from '../../platform/ledger/tx.ts';
import { type Bind, bindTo } from '../../platform/listing/bind.ts';
import type { AutomationRun } from '../run.entity.ts';
import { type RunFilter, runsWhere } from './filter.ts';

/** Runs of one transaction, which holds the lock of each. */
export const usualStep = 500;

/** `done`: runs that were changed; `left`: that could not be. `reached`: the last run that was looked at, in the order of their ids. */
export type Progress = { done: number; left: number; reached: string };

const beginning: Progress = { done: 0, left: 0, reached: '00000000-0000-0000-0000-000000000000' };

const jobById = statement((select, { id }: { id: string }) => select(Job).select('progress').where('id', '=', id));

export async function progressOf(own: Own, { id }: RunRef): Promise<Progress> {
  const [row] = await jobById(own, { id });
  return { ...beginning, ...(row?.progress as Partial<Progress> | null) };
}

/** SQL: the check of the run and what is shown of it, in the transaction of what was done. */
const moveOn = `
  update jobs
     set progress = $4::jsonb
   where organization_id = $1
     and id = $2
     and run = $3
     and ${stateIs('state', 'queued')}
  returning 1`;

/** Throws Superseded: another run is at it, or it was called off. */
export async function writeProgress(tx: OwnTx, job: RunRef, progress: Progress): Promise<void> {
  const moved = await tx.sql(moveOn, [job.id, job.run, JSON.stringify(progress)]);
  if (moved.length === 0) throw new Superseded();
}

/** SQL: a batch in the order of ids; its shape follows the filter. `more`: conditions over `automation_runs r`. */
export function nextRuns(
  own: Own,
  filter: RunFilter,
  { reached, size }: { reached: string; size: number },
  more: (bind: Bind) => string[],
): Promise<RowOf<typeof AutomationRun, 'id'>[]> {
  const params: unknown[] = [own.organizationId];
  const bind = bindTo(params);
  const where = [...runsWhere(filter, bind), `r.id > ${bind(reached)}::uuid`, ...more(bind)];
  const text = `
    select r.id
      from automation_runs r
     where ${where.join(' and ')}
     order by r.id
     limit ${bind(size)}`;
  return own.sql<RowOf<typeof AutomationRun, 'id'>>(text, params.slice(1));
}
