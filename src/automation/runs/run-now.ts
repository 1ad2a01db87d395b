import type { BusinessHours } from '../../organizations/organization.entity.ts';
import type { Own } from '../../platform/database/own.ts';
import type { RowOf } from '../../platform/database/tables.ts';
import { notFound } from '../../platform/errors.ts';
import type { SubjectType } from '../definition/definition.ts';
import type { AutomationRun } from '../run.entity.ts';

type Column =
  | ('id' | 'rule_id' | 'version' | 'mode' | 'state' | 'trigger' | 'event_id' | 'subject_id' | 'contact_id' | 'is_exclusive')
  | ('chain' | 'position' | 'vars' | 'steps_run' | 'retries' | 'job_id');

/** A run as it is now, with what its next steps depend on. `now_ms`: the database's clock. */
export type RunNow = RowOf<typeof AutomationRun, Column> & {
  subject_type: SubjectType;
  is_rule_deleted: boolean;
  timezone: string;
  business_hours: BusinessHours;
  now_ms: number;
};

/** SQL: three rows, each by its key, and the database's clock: the one look of a batch of steps (bench: runs). */
const runStatement = `
  select r.id, r.rule_id, r.version, r.mode, r.state, r.trigger, r.event_id, r.subject_type, r.subject_id, r.contact_id, r.is_exclusive,
         r.chain, r.position, r.vars, r.steps_run, r.retries, r.job_id,
         a.deleted_at is not null as is_rule_deleted, o.timezone, o.business_hours,
         (extract(epoch from clock_timestamp()) * 1000)::float8 as now_ms
    from automation_runs r
    join automation_rules a on a.organization_id = r.organization_id and a.id = r.rule_id
    join organizations o on o.id = r.organization_id
   where r.organization_id = $1
     and r.id = $2`;

export async function findRunNow(own: Pick<Own, 'sql'>, id: string): Promise<RunNow | undefined> {
  const [run] = await own.sql<RunNow>(runStatement, [id]);
  return run;
}

/** Throws 404. */
export async function runNow(own: Pick<Own, 'sql'>, id: string): Promise<RunNow> {
  const run = await findRunNow(own, id);
  if (!run) throw notFound('Run');
  return run;
}
