import { stateIs } from '../platform/ledger/states.ts';
import type { Transact } from '../platform/ledger/transact.ts';
import { watchConnectionJob } from './jobs.ts';

/** Of one look. */
export const maxDue = 20;

type Due = { organization_id: string; connection_id: string };

/**
 * SQL: a set over all organizations that skips locked rows. About once a day; spread, so that connections made together drift apart. One
 * whose last check is still under way is passed over.
 */
const claimDue = `
  with due as (
    update connections
       set next_check_at = clock_timestamp() + (0.75 + random() / 2) * interval '1 day'
     where ctid = any(array(
             select ctid
               from connections
              where next_check_at <= statement_timestamp() and deleted_at is null
              order by next_check_at
              limit ${maxDue}
                for no key update skip locked))
    returning organization_id, id)
  select d.organization_id, d.id as connection_id
    from due d
   where not exists (
           select 1
             from jobs j
            where j.subject_id = d.id and j.organization_id = d.organization_id and j.name = '${watchConnectionJob.name}'
              and ${stateIs('j.state', 'blocked', 'waiting', 'queued')})`;

/** Each due connection gets its job, once over all workers. Returns how many; as many as `maxDue` mean that there may be more. */
export const askDueChecks = (transact: Transact): Promise<number> =>
  transact({}, async (tx) => {
    const due = await tx.query<Due>(claimDue, []);
    for (const { organization_id, connection_id } of due) tx.enqueue(watchConnectionJob, organization_id, { connection_id });
    return due.length;
  });
