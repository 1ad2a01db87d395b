import { isParked } from '../ledger/park.ts';
import { poolsWithWaiting } from '../ledger/pools-with-work.ts';
import { stuckPools } from '../ledger/stuck-pools.ts';

/** No states of the ledger: `parked` is queued for later, `held` any whose pool is on hold. */
export const liveStates = ['blocked', 'waiting', 'queued', 'parked', 'held'] as const;
export const endedStates = ['failed', 'done'] as const;

const facts = 'organization_id, pool, queue, attempts, run_at';
const kindsOf = (rows: string) => `
  select organization_id, pool, queue, attempts > 0 as is_later, count(*) as jobs, min(run_at) as oldest
    from (${rows}) r
   group by 1, 2, 3, 4`;

type Most = { looked: number; counted: number };

const ofState = (state: string, isOf: string, order: string, { looked, counted }: Most) => {
  const first = `
    select ${facts}
      from jobs
     where ${isOf}
     order by ${order}
     limit ${looked}`;
  return `
  select k.organization_id, k.pool, k.queue, k.is_later, '${state}' as state, k.oldest,
         k.jobs * c.jobs / sum(k.jobs) over () as jobs
    from (select count(*) as jobs
            from (select 1
                    from jobs
                   where ${isOf}
                   limit ${counted}) r) c,
         (${kindsOf(first)}) k`;
};

/**
 * SQL (all of this file): counts by partial indexes. Overdue from `run_at`: from `created_at` a retry begins overdue.
 *
 * Takes a bounded time with any backlog: of each state so many rows are counted by their index alone, fewer are looked at, and these stand for
 * the others of their pool. What waits is looked at from the head of each pool's line, so that the backlog of one hides no other; what is
 * queued in the order of its checks, where the overdue come first.
 */
export const liveJobsWithin = (most: Most) => `
  ${poolsWithWaiting},
  share as materialized (
    select greatest(10, ${most.looked} / greatest(1, count(*))) as looked
      from waiting),
  counts as materialized (
    select organization_id, pool, count(*) as jobs
      from (select organization_id, pool
              from jobs
             where state = 'waiting'
             order by organization_id, pool
             limit ${most.counted}) r
     group by 1, 2),
  live as (
    select k.organization_id, k.pool, k.queue, k.is_later, 'waiting' as state, k.oldest,
           greatest(k.jobs, k.jobs * c.jobs / sum(k.jobs) over (partition by k.organization_id, k.pool)) as jobs
      from waiting w,
           lateral (${kindsOf(`
             select ${facts}
               from jobs
              where organization_id = w.organization_id and pool = w.pool and state = 'waiting'
              order by class, seq
              limit (select looked from share)`)}) k
      left join counts c on c.organization_id = k.organization_id and c.pool = k.pool
    union all ${ofState('queued', `state = 'queued' and not (${isParked})`, 'check_at', most)}
    union all ${ofState('parked', `state = 'queued' and ${isParked}`, 'organization_id, queue, check_at', most)}
    union all ${ofState('blocked', `state = 'blocked'`, 'organization_id, lane, seq', most)})
  select l.queue,
         case when p.held_until > statement_timestamp() then 'held' else l.state end as state,
         l.is_later,
         round(sum(l.jobs))::int as jobs,
         greatest(0, extract(epoch from statement_timestamp() - min(l.oldest)))::float8 as overdue
    from live l
    left join pools p on p.organization_id = l.organization_id and p.id = l.pool
   group by 1, 2, 3`;

const maxCounted = 500_000;
export const liveJobs = liveJobsWithin({ looked: 50_000, counted: maxCounted });

const endedIn = (state: string) => `
  select queue, '${state}' as state, count(*)::int as jobs
    from (select queue
            from jobs
           where state = '${state}'
           limit ${maxCounted}) r
   group by queue`;

export const endedJobs = `${endedIn('failed')} union all ${endedIn('done')}`;

export const unappliedWebhooks = `
  select count(*)::int as bodies,
         coalesce(extract(epoch from statement_timestamp() - min(received_at)), 0)::float8 as oldest
    from provider_webhooks
   where state = 'received'`;

export const brokenWebhooks = `
  select count(*)::int as bodies
    from provider_webhooks
   where state = 'broken'`;

export const stuckPoolCount = `select count(*)::int as pools from (${stuckPools}) s`;

export const channelsByStatus = `
  select status, count(*)::int as channels
    from channels
   where deleted_at is null
   group by status`;

export const connectionsByStatus = `
  select status, count(*)::int as connections
    from connections
   where deleted_at is null
   group by status`;

/** Since their credentials were refused. */
export const refusedConnections = `
  select coalesce(extract(epoch from statement_timestamp() - min(coalesce(last_error_at, updated_at))), 0)::float8 as oldest
    from connections
   where status in ('auth_error', 'restricted') and deleted_at is null`;

/** A long line behind refused connections must not cost the other figures their time. */
const maxBehind = 20_000;

/**
 * Of those whose calendar is behind, among the oldest; not of one that failed for good. Nor of one whose job waits for a refused connection:
 * only its tenant can mend that, and `refusedConnections` tells of it.
 */
export const unsyncedBookings = `
  select coalesce(extract(epoch from statement_timestamp() - min(o.pending_since)), 0)::float8 as oldest
    from (select organization_id, booking_id, pending_since
            from booking_calendars
           where status = 'pending'
           order by pending_since
           limit ${maxBehind}) o
    join bookings b on b.organization_id = o.organization_id and b.id = o.booking_id
   where coalesce((select j.pool
                     from jobs j
                    where j.organization_id = b.organization_id
                      and j.lane = 'subject:calendar:order:' || b.order_id
                      and j.state in ('waiting', 'queued')), '')
         <> all (array(select 'connection:' || c.id
                         from connections c
                        where c.status in ('auth_error', 'restricted') and c.deleted_at is null))`;

/** A disabled endpoint does not count: its spell is over. */
export const failingEndpoints = `
  select count(*)::int as endpoints,
         coalesce(extract(epoch from statement_timestamp() - min(failing_since)), 0)::float8 as longest
    from webhook_endpoints
   where failing_since is not null`;

/** 0: begun and never completed. */
export const purgesDone = `
  select table_name, coalesce(extract(epoch from finished_at), 0)::float8 as at
    from purges`;
