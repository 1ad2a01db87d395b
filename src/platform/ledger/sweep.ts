import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '../database/database.ts';
import { query } from '../database/query.ts';
import type { Log } from '../log.ts';
import {
  type DispatchedRow,
  dispatchedColumns,
  dispatchedOf,
  firstCheck,
  type Inserted,
  nothingDispatched,
  type PoolRef,
} from './accept.ts';
import { handOverParked, letParkedIntoPools } from './hand-over-parked.ts';
import type { Ledger } from './ledger.ts';
import { lockOf, tryLock } from './locks.ts';
import { isParked } from './park.ts';
import { nobody } from './pools.ts';
import { hasPlaceFor, poolOfWork, poolsWithWaiting } from './pools-with-work.ts';
import { queueNames } from './queue-names.ts';
import type { Queues } from './queues.ts';
import { stateIs } from './states.ts';

const batch = 500;
const fillsAtOnce = 8;
/** Rows that the queue is asked about at once: with more, all that is handed over or ended meanwhile would wait behind the looks. */
const looksAtOnce = 50;
const maxMs = { parked: 250, due: 500, lanes: 150, pools: 250 };
export type Findings = {
  parked: number;
  looked: number;
  added: number;
  rerun: number;
  woken: number;
  pools: number;
  lanes: number;
  isWhole: boolean;
};

/** SQL (below): sets of rows of all organizations, each taken by one statement that passes over locked rows. */
const takeDue = `
  update jobs
     set check_at = greatest(run_at, clock_timestamp()) + interval '30 s'
   where ctid = any(array(
     select ctid from jobs
      where state = 'queued' and check_at <= statement_timestamp() and not (${isParked})
      order by check_at
      limit ${batch}
      for no key update skip locked))
  returning ${dispatchedColumns}`;

const makeDueAgain = `
  update jobs j
     set check_at = clock_timestamp()
    from unnest($1::uuid[], $2::uuid[]) as x(organization_id, id)
   where j.organization_id = x.organization_id and j.id = x.id and ${stateIs('j.state', 'queued')}`;

const startNewRuns = `
  update jobs j
     set run = j.run + 1, stalls = 0
    from unnest($1::uuid[], $2::uuid[], $3::int[]) as x(organization_id, id, run)
   where j.organization_id = x.organization_id and j.id = x.id and j.run = x.run and ${stateIs('j.state', 'queued')}
  returning j.id, j.run, j.queue, j.name, j.organization_id, j.pool,
            greatest(0, extract(epoch from j.run_at - clock_timestamp()) * 1000)::float8 as delay_ms`;

const hasRoom = (isOf: (job: string) => string) => `
  coalesce(p.held_until, '-infinity') <= clock_timestamp()
  and ${hasPlaceFor(isOf, `clock_timestamp() + interval '1 s'`)}`;

export const poolsWithRoom = `
  ${poolsWithWaiting}
  select p.organization_id, p.id
    from work w, ${poolOfWork}
   where p.organization_id <> '${nobody}'
         and ${hasRoom((job) => `${job}.organization_id = p.organization_id and ${job}.pool = p.id`)}
      or p.organization_id = '${nobody}'
         and ${hasRoom((job) => `${job}.pool = p.id`)}
   order by random()
   limit ${batch}`;

const lanesWithoutHead = `
  select distinct b.organization_id, b.lane
    from jobs b
   where b.state = 'blocked'
     and not exists (
       select 1 from jobs h
        where h.organization_id = b.organization_id and h.lane = b.lane and h.state in ('waiting', 'queued'))
   limit ${batch}`;

const releaseHead = `
  update jobs
     set state = case when pool is null then 'queued' else 'waiting' end,
         check_at = greatest(run_at, clock_timestamp()) + ${firstCheck}
   where organization_id = $1
     and id = (select id from jobs where organization_id = $1 and lane = $2 and state = 'blocked' order by seq limit 1)
     and not exists (select 1 from jobs where organization_id = $1 and lane = $2 and state in ('waiting', 'queued'))
  returning ${dispatchedColumns}`;

type Swept = { database: Database; queues: Queues; ledger: Ledger; log: Log; config: { laterTriesPerSecond: number } };

/** Rule 4, in every worker, without a leader. No row lock is held while the queue answers. */
export async function sweep({ database, queues, ledger, log, config }: Swept): Promise<Findings> {
  const findings: Findings = { parked: 0, looked: 0, added: 0, rerun: 0, woken: 0, pools: 0, lanes: 0, isWhole: true };
  const isParkedLate = within(maxMs.parked);
  while (queues.isReady()) {
    // Their pools are filled with the others below.
    const letIn = await letParkedIntoPools(database, batch);
    const rows = await handOverParked(database, config.laterTriesPerSecond, batch);
    findings.parked += letIn + rows.length;
    void giveInTime(ledger, rows);
    if (letIn < batch && rows.length < batch) break;
    if (isParkedLate()) {
      findings.isWhole = false;
      break;
    }
  }
  const isLate = within(maxMs.due);
  while (queues.isReady()) {
    const due = await query<DispatchedRow>(database.em(), takeDue);
    const left = [...due];
    try {
      while (left.length > 0 && !(left.length < due.length && isLate())) {
        await mend(left.slice(0, looksAtOnce), database, queues, findings);
        findings.looked += left.splice(0, looksAtOnce).length;
      }
    } finally {
      // The queue was lost, or is slow: these rows are due again at once, not in 30 s.
      if (left.length > 0) await query(database.em(), makeDueAgain, keysOf(left));
    }
    if (due.length < batch && left.length === 0) break;
    if (isLate()) {
      findings.isWhole = false;
      break;
    }
  }
  await releaseLanes(database, ledger, findings);
  await fillPools(database, ledger, findings);
  if (findings.added + findings.rerun + findings.woken + findings.lanes > 0) log.info({ ...findings }, 'sweep');
  return findings;
}

const biteMs = 50;
/** A little faster than they are due, so that each is there before its time. */
const ahead = 2;
/** So few hold up nobody. */
const atOnce = 25;
const maxBite = 100;

/**
 * In the order of their times: 20 s of a line at once would hold up first tries for a third of a second. What does not get there is found by
 * an ordinary look.
 */
async function giveInTime(ledger: Ledger, rows: DispatchedRow[]) {
  if (rows.length === 0) return;
  const give = (some: DispatchedRow[]) => ledger.dispatch({ ...nothingDispatched(), rows: some });
  const left = rows.toSorted((one, other) => one.delay_ms - other.delay_ms);
  const startedAt = performance.now();
  await give(left.splice(0, atOnce));
  while (left.length > 0) {
    const dueMs = (performance.now() - startedAt + biteMs) * ahead;
    const later = left.findIndex(({ delay_ms }) => delay_ms > dueMs);
    const bite = left.splice(0, Math.min(maxBite, later < 0 ? left.length : later));
    if (bite.length > 0) await give(bite);
    if (bite.length < maxBite) await sleep(biteMs, undefined, { ref: false });
  }
}

function within(ms: number): () => boolean {
  const endsAt = performance.now() + ms;
  return () => performance.now() > endsAt;
}

const keysOf = (rows: DispatchedRow[]) => [rows.map((row) => row.organization_id), rows.map((row) => row.id)];

/** While another version is rolled out there may be a queue that this one does not know: its processes look after it. */
const isKnown = ({ queue }: DispatchedRow) => queueNames.some((name) => name === queue);

async function mend(looked: DispatchedRow[], database: Database, queues: Queues, findings: Findings) {
  const due = looked.filter(isKnown);
  if (due.length === 0) return;
  const states = await queues.states(due);
  const missing = due.filter((_, index) => states[index] === 'unknown');
  const over = due.filter((_, index) => states[index] === 'completed' || states[index] === 'failed');
  // Its time is over by the database's clock: the queue's was made by a host that was ahead.
  const late = due.filter((_, index) => states[index] === 'delayed');
  if (missing.length > 0) await queues.add(missing);
  findings.added += missing.length;
  if (late.length > 0) await queues.wake(late);
  findings.woken += late.length;
  if (over.length === 0) return;
  // Over for BullMQ and not for the row: a new run, unless there is one.
  const fresh = await query<DispatchedRow>(database.em(), startNewRuns, [...keysOf(over), over.map((row) => row.run)]);
  if (fresh.length > 0) await queues.add(fresh);
  findings.rerun += fresh.length;
}

/** In random order, so that each pool is reached. Skips a pool that is locked or that this process is filling. */
async function fillPools(database: Database, ledger: Ledger, findings: Findings) {
  const pools = await query<PoolRef>(database.em(), poolsWithRoom);
  const isLate = within(maxMs.pools);
  while (pools.length > 0) {
    if (isLate()) {
      findings.isWhole = false;
      return;
    }
    const some = pools.splice(0, fillsAtOnce);
    await Promise.all(some.map((pool) => ledger.fillOnce(pool)));
    findings.pools += some.length;
  }
}

/** No rule leaves such a lane: this repairs what no rule foresaw. */
async function releaseLanes(database: Database, ledger: Ledger, findings: Findings) {
  const lanes = await query<{ organization_id: string; lane: string }>(database.em(), lanesWithoutHead);
  const isLate = within(maxMs.lanes);
  for (const { organization_id, lane } of lanes) {
    if (isLate()) {
      findings.isWhole = false;
      return;
    }
    const released = await database.transaction(async (em) => {
      if (!(await tryLock(em, lockOf(lane)))) return [];
      return query<Inserted>(em, releaseHead, [organization_id, lane]);
    });
    // Not awaited: its pool is filled with the others below.
    void ledger.dispatch(dispatchedOf(released));
    findings.lanes += released.length;
  }
}
