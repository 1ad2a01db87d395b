import type { BatchStatement } from '../database/batch.ts';
import type { Source } from '../database/database.ts';
import { query } from '../database/query.ts';
import type { PoolRef } from './accept.ts';
import { stateIs } from './states.ts';
import type { RunRef } from './tx.ts';

/**
 * The pace of a pool with a rate is kept where work is claimed: the statement that claims moves `pools.tat`, the time of the next claim,
 * by the database's clock (GCRA). A late run goes as soon as the gap since the last claim allows; there is no latest time for it. An early
 * run gets a time to come again: the end of the plan that `fill_pool` makes, and not before the pace lets any run go.
 *
 * Claims are 1 / (0.95 rate) apart, at most 30 ms early: 0.95 rate * 1.03 + 1 in any second, which is never more than a whole rate. Bulk work may
 * be half as early: after its claim the pace of a fast channel is still open for conversation.
 */
const gap = `interval '1 s' / (p.rate * 0.95)`;
/**
 * As in fill_pool: on a fast channel a tenth closer than the claims, so that the plan fills what late runs leave free. On a slow one a tenth is
 * more than a run may be early.
 */
const planGap = `interval '1 s' / (p.rate * case when p.rate < 50 then 0.95 else 1.045 end)`;
/** No claim moves the next one further away: such a time comes from another clock, of a database that has failed over. */
const isAlien = `p.tat > clock_timestamp() + ${gap} + interval '1 s'`;
const isOpenFrom = (early: string) => `(coalesce(p.tat, '-infinity') <= clock_timestamp() + ${early} or ${isAlien})`;
const isOpen = isOpenFrom(`interval '30 ms'`);
const isOpenToRun = isOpenFrom(`case when j.class = 0 then interval '30 ms' else interval '15 ms' end`);

/** The end of the plan, the new time of a run that came too early. A plan longer than a fill can make it is alien, too. */
const planEnd = (p: string) => `
  greatest(case when ${p}.plan_at <= clock_timestamp() + 2 * ${p}.width * interval '1 s' / ${p}.rate then ${p}.plan_at end,
           ${p}.tat)`;

/** Its time has come and its pool is not held; with conditions on `jobs j left join pools p`. */
export const mayRunNow = `
  ${stateIs('j.state', 'queued')}
  and j.run_at <= clock_timestamp() + interval '20 ms'
  and coalesce(p.held_until, '-infinity') <= clock_timestamp()`;

/**
 * Part of a claim of run $3 of job $2 of organization $1. `paced` has a row when only the pace can hold the run back, and says whether it
 * does; `turn` gives the row its new times: the end of the plan, or, for conversation among bulk work, just before the next claim of that. `isWanted` is the condition that the job's subject can be claimed. `freesRoom`: a claimed run
 * takes no room.
 * SQL: the claim is one statement (bench: send, deliver).
 */
export const paceParts = (isWanted: string, { freesRoom }: { freesRoom: boolean }) => `
  paced as (
    update pools p
       set tat = case when ${isAlien} then clock_timestamp() + ${gap}
                      when ${isOpenToRun} then greatest(p.tat, clock_timestamp()) + ${gap}
                      else p.tat end,
           plan_at = case when ${isOpenToRun} then p.plan_at
                          when j.class = 0 and has_bulk(p.organization_id, p.id) then p.plan_at
                          else ${planEnd('p')} + ${planGap} end
      from jobs j
     where j.organization_id = $1 and j.id = $2 and j.run = $3
       and p.organization_id = j.organization_id and p.id = j.pool and p.rate is not null
       and ${mayRunNow}
       and ${isWanted}
    returning new.tat is distinct from old.tat as is_open,
              case when new.plan_at is distinct from old.plan_at then ${planEnd('old')}
                   else old.tat - interval '20 ms' end as plan_at),
  turn as (
    update jobs j
       set slot_at = case when not paced.is_open then paced.plan_at ${freesRoom ? '' : 'else j.slot_at '}end,
           run_at = case when paced.is_open then j.run_at else paced.plan_at end,
           check_at = case when paced.is_open then j.check_at else paced.plan_at + interval '5 s' end
      from paced
     where j.organization_id = $1 and j.id = $2 and j.run = $3
       and ${stateIs('j.state', 'queued')}${freesRoom ? '' : ' and not paced.is_open'}
    returning case when not paced.is_open
                   then greatest(1, extract(epoch from paced.plan_at - clock_timestamp()) * 1000)::float8
                   end as wait_ms)`;

/** For the claim itself, with conditions on `jobs j left join pools p`: the pool has no rate, or the pace lets this run go. */
export const isPaced = '(p.rate is null or (select is_open from paced))';

/** Rows of a statement that takes a turn. */
export type Turn = { wait_ms: number | null };

/** For a run whose handler claims nothing: undefined when it may go, else the milliseconds until it may come again. */
export async function takeTurn(source: Source, { organization_id, id, run }: RunRef): Promise<number | undefined> {
  const [row] = await query<Turn>(source, turnStatement, [organization_id, id, run]);
  return row?.wait_ms ?? undefined;
}

/** SQL: the pace of a pool is kept by the statement that claims. */
const turnStatement = `with ${paceParts('true', { freesRoom: false })}
  select wait_ms from turn`;

/** `heldMs`: the pool is held for so long, a minute at most; no turn was taken. `waitMs`: until the next turn. Neither: the call may go. */
export type CallTurn = { heldMs?: number; waitMs?: number };
type CallRow = { held_ms: number | null; wait_ms: number | null };

/** For one call of a run that makes several, also with a pool that is not the run's. `heeds`: false goes past a hold. */
export async function takeCall(source: Source, pool: PoolRef, heeds = true): Promise<CallTurn> {
  const { text, params } = callTurn(pool, heeds);
  return turnIn(await query<CallRow>(source, text, params as unknown[]));
}

/** `takeCall` in a batch with a write that precedes the call; `turnIn` reads its rows. */
export const callTurn = ({ organization_id, id }: PoolRef, heeds = true): BatchStatement => ({
  text: callStatement,
  params: [organization_id, id, heeds],
});

export function turnIn(rows: unknown[]): CallTurn {
  const { held_ms, wait_ms } = rows[0] as CallRow;
  return { ...(held_ms !== null && { heldMs: held_ms }), ...(wait_ms !== null && { waitMs: wait_ms }) };
}

/** SQL: the same pace, by the database's clock. A hold may end before its time, of which a run of another pool hears nothing: it looks again after a minute. */
const callStatement = `
  with held as (
    select case when isfinite(p.held_until)
                then least(60000, greatest(1, extract(epoch from p.held_until - clock_timestamp()) * 1000))::float8
                else 60000 end as ms
      from pools p
     where p.organization_id = $1 and p.id = $2 and $3::bool and p.held_until > clock_timestamp()),
  taken as (
    update pools p
       set tat = case when ${isAlien} then clock_timestamp() + ${gap}
                      when ${isOpen} then greatest(p.tat, clock_timestamp()) + ${gap}
                      else p.tat end
     where p.organization_id = $1 and p.id = $2 and p.rate is not null and not exists (select from held)
    returning new.tat is distinct from old.tat as is_open, old.tat as open_at)
  select (select ms from held) as held_ms,
         (select case when not is_open then greatest(1, extract(epoch from open_at - clock_timestamp()) * 1000)::float8 end
            from taken) as wait_ms`;
