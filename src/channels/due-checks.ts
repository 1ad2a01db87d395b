import type { RowOf } from '../platform/database/tables.ts';
import { stateIs } from '../platform/ledger/states.ts';
import type { Transact } from '../platform/ledger/transact.ts';
import type { ChannelHealth } from './health.entity.ts';
import { watchChannelJob } from './jobs.ts';

/** Of one look: a check is three calls of the provider. */
export const maxDue = 20;

type Due = RowOf<typeof ChannelHealth, 'organization_id' | 'channel_id'>;

/**
 * SQL: a set over all organizations that skips locked rows; the next time is spread, so that channels connected together drift apart. A
 * channel that was disconnected by hand, or whose last check is still under way, is looked at when it is its turn, and passed over.
 */
const claimDue = `
  with due as (
    update channel_health
       set next_check_at = clock_timestamp() + (0.75 + random() / 2) * $1::float8 * interval '1 s'
     where ctid = any(array(
             select ctid
               from channel_health
              where next_check_at <= statement_timestamp()
              order by next_check_at
              limit ${maxDue}
                for no key update skip locked))
    returning organization_id, channel_id)
  select d.organization_id, d.channel_id
    from due d
    join channels c on c.organization_id = d.organization_id and c.id = d.channel_id
   where c.status <> 'disconnected' and c.deleted_at is null
     and not exists (
       select 1
         from jobs j
        where j.subject_id = c.id and j.organization_id = c.organization_id and j.name = '${watchChannelJob.name}'
          and ${stateIs('j.state', 'blocked', 'waiting', 'queued')})`;

/** Each due channel gets its job, once over all workers. Returns how many; as many as `maxDue` mean that there may be more. */
export const askDueChecks = (transact: Transact, everySeconds: number): Promise<number> =>
  transact({}, async (tx) => {
    const due = await tx.query<Due>(claimDue, [everySeconds]);
    for (const { organization_id, channel_id } of due) tx.enqueue(watchChannelJob, organization_id, { channel_id });
    return due.length;
  });
