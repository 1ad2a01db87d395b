import { stateIs } from '../platform/ledger/states.ts';
import type { Transact } from '../platform/ledger/transact.ts';
import { fetchRatesJob } from './jobs.ts';

/** Of one look. */
export const maxDue = 50;

/**
 * SQL: a set over all organizations that skips locked rows; about a day later, spread, so that they drift apart. One whose last job is
 * not over is looked at when it is its turn again, and passed over.
 */
const claimDue = `
  with due as (
    update organizations
       set rates_due_at = clock_timestamp() + (20 + random() * 8) * interval '1 hour'
     where ctid = any(array(
             select ctid
               from organizations
              where rates_due_at <= statement_timestamp()
              order by rates_due_at
              limit ${maxDue}
                for no key update skip locked))
    returning id)
  select d.id
    from due d
   where not exists (
     select 1
       from jobs j
      where j.organization_id = d.id and j.subject_id = d.id and j.name = '${fetchRatesJob.name}'
        and ${stateIs('j.state', 'blocked', 'waiting', 'queued')})`;

/** Each organization that is due gets its job, once over all workers. As many as `maxDue` mean that there may be more. */
export const askDueRates = (transact: Transact): Promise<number> =>
  transact({}, async (tx) => {
    const due = await tx.query<{ id: string }>(claimDue);
    for (const { id } of due) tx.enqueue(fetchRatesJob, id, { organization_id: id });
    return due.length;
  });
