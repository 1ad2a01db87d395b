import type { Own } from '../../platform/database/own.ts';
import type { RunState } from '../states.ts';

/** Above so many runs what was counted a moment ago is shown. */
export const maxCounted = 50_000;

/** Of the whole organization. */
const wholeOrganization = '00000000-0000-0000-0000-000000000000';

type Counts = Partial<Record<RunState, number>>;
/** `present`: runs that are there, which is what counting costs. */
type Counted = { counts: Counts; present: number; at: string };

/*
 * SQL: runs that are there, by an index alone, and those that purges took, in one statement: a purge that moves some from the one to the other
 * is seen whole or not at all.
 */
const countOf = (ofRule: string) => `
  with present as (
    select state, count(*) as count
      from automation_runs
     where organization_id = $1 ${ofRule}
     group by state),
  taken as (
    select state, sum(count) as count
      from automation_counts
     where organization_id = $1 ${ofRule}
     group by state)
  select coalesce(jsonb_object_agg(s.state, s.count), '{}') as counts,
         coalesce((select sum(count) from present), 0)::float8 as present,
         statement_timestamp() as at
    from (select state, sum(count) as count
            from (select * from present union all select * from taken) b
           group by state) s`;
const countAll = countOf('');
const countRule = countOf('and rule_id = $2');

const kept = `
  select counts, present::float8, counted_at as at, due_at <= statement_timestamp() as is_due
    from automation_run_counts
   where organization_id = $1
     and rule_id = $2`;

/** A reader that dies leaves its claim: the next one counts after this. */
const claimMs = 30_000;
/** Of several readers one counts, and nobody waits for its row. */
const claim = `
  update automation_run_counts
     set due_at = statement_timestamp() + interval '${claimMs} ms'
   where organization_id = $1
     and rule_id = any(array(
         select rule_id
           from automation_run_counts
          where organization_id = $1
            and rule_id = $2
            and due_at <= statement_timestamp()
            for no key update skip locked))
  returning 1`;

/** 20 times as long as it takes nobody counts again; at least 5 seconds. */
const keep = `
  insert into automation_run_counts (organization_id, rule_id, counts, present, counted_at, due_at)
  values ($1, $2, $3::jsonb, $4, $5::timestamptz,
          clock_timestamp() + greatest(interval '5 s', 20 * (clock_timestamp() - $5::timestamptz)))
  on conflict (organization_id, rule_id) do update
     set counts = excluded.counts, present = excluded.present, counted_at = excluded.counted_at, due_at = excluded.due_at
   where automation_run_counts.counted_at <= excluded.counted_at`;

/** Runs by state since the beginning, of one rule or of all. */
export async function countedRuns(own: Own, ruleId?: string): Promise<Counts> {
  const of = ruleId ?? wholeOrganization;
  const [seen] = await own.sql<Counted & { is_due: boolean }>(kept, [of]);
  const isMany = seen !== undefined && seen.present > maxCounted;
  if (isMany && (!seen.is_due || (await own.sql(claim, [of])).length === 0)) return seen.counts;
  const [counted] = await (ruleId ? own.sql<Counted>(countRule, [ruleId]) : own.sql<Counted>(countAll));
  const { counts, present, at } = counted!;
  if (isMany || present > maxCounted) await own.sql(keep, [of, JSON.stringify(counts), present, at]);
  return counts;
}
