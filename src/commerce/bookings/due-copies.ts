import { pacedPool } from '../../connections/paces.ts';
import { statement } from '../../platform/database/statement.ts';
import type { RowOf } from '../../platform/database/tables.ts';
import { Job } from '../../platform/ledger/jobs.entity.ts';
import { movePool } from '../../platform/ledger/move-pool.ts';
import { stateIs } from '../../platform/ledger/states.ts';
import type { Transact } from '../../platform/ledger/transact.ts';
import type { OwnTx } from '../../platform/ledger/tx.ts';
import { copyBusyJob } from './jobs.ts';
import type { Staff } from './staff.entity.ts';

/** Of one look. */
export const maxDueCopies = 100;

type Due = RowOf<typeof Staff, 'organization_id'> & { staff_id: string; connection_id: string };

/**
 * SQL: a set over all organizations that skips locked rows. A look comes about once a minute, which makes it 15 at most; spread, so that
 * calendars connected together drift apart. One whose last copy is still under way, or waits for its account, is passed over.
 */
const claimDue = `
  with due as (
    update staff
       set next_copy_at = clock_timestamp() + (12.5 + random()) * interval '1 minute'
     where ctid = any(array(
             select ctid
               from staff
              where next_copy_at <= statement_timestamp() and reads_busy and active
              order by next_copy_at
              limit ${maxDueCopies}
                for no key update skip locked))
    returning organization_id, id, calendar_connection_id)
  select d.organization_id, d.id as staff_id, d.calendar_connection_id as connection_id
    from due d
   where d.calendar_connection_id is not null
     and not exists (
           select 1
             from jobs j
            where j.subject_id = d.id and j.organization_id = d.organization_id and j.name = '${copyBusyJob.name}'
              and ${stateIs('j.state', 'blocked', 'waiting', 'queued')})`;

/** Each staff member whose busy times are old gets a copy of them, once over all workers. Returns how many. */
export const askDueCopies = (transact: Transact): Promise<number> =>
  transact({}, async (tx) => {
    const due = await tx.query<Due>(claimDue, []);
    for (const { organization_id, staff_id, connection_id } of due) {
      const own = tx.of(organization_id);
      own.enqueue(copyBusyJob, { staff_id }, { pool: await pacedPool(own, 'calendar', connection_id) });
    }
    return due.length;
  });

const liveCopy = statement((select, { staffId }: { staffId: string }) =>
  select(Job)
    .select(['id', 'pool'])
    .where('subject_id', '=', staffId)
    .where('name', '=', copyBusyJob.name)
    .where('state', 'in', ['blocked', 'waiting', 'queued'])
    .limit(1),
);

/** At once, by the one under way if there is one: it looks at its end whether the calendar is still the same. */
export async function askCopy(tx: OwnTx, staffId: string, connectionId: string): Promise<void> {
  const pool = await pacedPool(tx, 'calendar', connectionId);
  const [live] = await liveCopy(tx, { staffId });
  if (!live) tx.enqueue(copyBusyJob, { staff_id: staffId }, { pool });
  // It may wait for an account that is not the member's any more.
  else if (live.pool !== pool) await movePool(tx, live.id, pool);
}
