import type { Em } from '../database/database.ts';
import { query } from '../database/query.ts';
import { stateIs } from './states.ts';
import type { RunRef } from './tx.ts';

/** Claims are 1 / (0.95 rate) apart, at most 30 ms early: 0.95 rate * 1.03 + 1 in any second, never above a whole rate (GCRA). */
const gap = `interval '1 s' / (p.rate * 0.95)`;
/** As in fill_pool, a tenth closer than claims: the plan fills what late runs leave free. */
const planGap = `interval '1 s' / (p.rate * 1.045)`;
/** Such a time is from another clock, after a failover: no claim moves the next one so far. */
const isAlien = `p.tat > clock_timestamp() + ${gap} + interval '1 s'`;
const isOpen = `(coalesce(p.tat, '-infinity') <= clock_timestamp() + interval '30 ms' or ${isAlien})`;

/** The new time of a run that came too early. A plan longer than a fill can make is alien too. */
const planEnd = (p: string) => `
  greatest(case when ${p}.plan_at <= clock_timestamp() + 2 * ${p}.width * interval '1 s' / ${p}.rate then ${p}.plan_at end,
           ${p}.tat)`;

/** Conditions on `jobs j left join pools p`: due, and the pool is not held. */
export const mayRunNow = `
  ${stateIs('j.state', 'queued')}
  and j.run_at <= clock_timestamp() + interval '20 ms'
  and coalesce(p.held_until, '-infinity') <= clock_timestamp()`;

/** SQL: part of one claim (bench: send, deliver), of run $2 of job $1. `paced` has a row only when the pace can hold it back. */
export const paceParts = (isWanted: string, { freesRoom }: { freesRoom: boolean }) => `
  paced as (
    update pools p
       set tat = case when ${isAlien} then clock_timestamp() + ${gap}
                      when ${isOpen} then greatest(p.tat, clock_timestamp()) + ${gap}
                      else p.tat end,
           plan_at = case when ${isOpen} then p.plan_at else ${planEnd('p')} + ${planGap} end
      from jobs j
     where j.id = $1 and j.run = $2
       and p.id = j.pool and p.rate is not null
       and ${mayRunNow}
       and ${isWanted}
    returning new.tat is distinct from old.tat as is_open, ${planEnd('old')} as plan_at),
  turn as (
    update jobs j
       set slot_at = case when not paced.is_open then paced.plan_at ${freesRoom ? '' : 'else j.slot_at '}end,
           run_at = case when paced.is_open then j.run_at else paced.plan_at end,
           check_at = case when paced.is_open then j.check_at else paced.plan_at + interval '5 s' end
      from paced
     where j.id = $1 and j.run = $2 and ${stateIs('j.state', 'queued')}${freesRoom ? '' : ' and not paced.is_open'}
    returning case when not paced.is_open
                   then greatest(1, extract(epoch from paced.plan_at - clock_timestamp()) * 1000)::float8
                   end as wait_ms)`;

/** For the claim, on `jobs j left join pools p`: no rate, or the pace lets this run go. */
export const isPaced = '(p.rate is null or (select is_open from paced))';

export type Turn = { wait_ms: number | null };

/** For a handler that claims nothing: the milliseconds until the run may come again, if it must wait. */
export async function takeTurn(em: Em, { id, run }: RunRef): Promise<number | undefined> {
  const [row] = await query<Turn>(em, turnStatement, [id, run]);
  return row?.wait_ms ?? undefined;
}

/** SQL: the pace of a pool is kept by the statement that claims. */
const turnStatement = `with ${paceParts('true', { freesRoom: false })}
  select wait_ms from turn`;
