import type { Em } from '../database/database.ts';
import { query } from '../database/query.ts';
import { type Batch, limitOfAge, type Purge } from './purge.ts';

/** A run may have a thousand steps, which go with it. */
const maxRuns = 200;

/**
 * SQL: sets that skip locked rows until next time. What a statistic counted is counted as before: the rows go, and their number is added, at once.
 * One with a job can be retried, or is being.
 */
const purgeRuns = `
  with old as materialized (
    select r.ctid
      from automation_runs r
     where r.ended_at is not null
       and r.ended_at < ${limitOfAge}
       and r.state in ('succeeded', 'failed', 'cancelled')
       and not exists (
         select 1 from jobs j
          where j.organization_id = r.organization_id and j.subject_id = r.id)
     order by r.ended_at
     limit $2
       for update skip locked),
  deleted as (
    delete from automation_runs
     where ctid = any(array(select ctid from old))
    returning organization_id, rule_id, state),
  counted as (
    insert into automation_counts as c (organization_id, rule_id, state, count)
    select organization_id, rule_id, state, count(*)
      from deleted
     group by 1, 2, 3
     order by 1, 2, 3
    on conflict (organization_id, rule_id, state) do update set count = c.count + excluded.count)
  select count(*)::int as count
    from deleted`;

/** Of rules that are gone: they count for the organization, as one. */
const gone = `'00000000-0000-0000-0000-000000000000'::uuid`;

/** A deleted rule without runs, with its versions. */
const purgeRules = `
  with deleted as (
    delete from automation_rules
     where ctid = any(array(
       select r.ctid
         from automation_rules r
        where r.deleted_at is not null
          and r.deleted_at < ${limitOfAge}
          and not exists (
            select 1 from automation_runs u
             where u.organization_id = r.organization_id and u.rule_id = r.id)
        order by r.deleted_at
        limit $2
          for update skip locked))
    returning organization_id, id),
  forgotten as (
    delete from automation_run_counts c
     using deleted d
     where c.organization_id = d.organization_id and c.rule_id = d.id),
  taken as (
    delete from automation_counts c
     using deleted d
     where c.organization_id = d.organization_id and c.rule_id = d.id
    returning c.organization_id, c.state, c.count),
  counted as (
    insert into automation_counts as c (organization_id, rule_id, state, count)
    select organization_id, ${gone}, state, sum(count)
      from taken
     group by 1, 3
     order by 1, 3
    on conflict (organization_id, rule_id, state) do update set count = c.count + excluded.count)
  select count(*)::int as count
    from deleted`;

const batchOf =
  (statement: string, table: string, most: number) =>
  async (em: Em, days: number, limit: number): Promise<Batch> => {
    const size = Math.min(limit, most);
    const [row] = await query<{ count: number }>(em, statement, [days, size]);
    return { deleted: { [table]: row!.count }, isLast: row!.count < size };
  };

const endedRunsBatch = batchOf(purgeRuns, 'automation_runs', maxRuns);
const deletedRulesBatch = batchOf(purgeRules, 'automation_rules', 100);

export const automationPurge: Purge = {
  table: 'automation_runs',
  tables: ['automation_runs', 'automation_rules'],
  steps: [
    { days: (config) => config.retentionAutomationRunsDays, batch: endedRunsBatch },
    // A deleted rule is shown nowhere; its runs are, as long as they are kept.
    { days: () => 0, batch: deletedRulesBatch },
  ],
};
