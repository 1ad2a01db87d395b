import { type ContactRow, contactColumns } from '../../contacts/queries.ts';
import type { BusinessHours } from '../../organizations/organization.entity.ts';
import type { BatchStatement } from '../../platform/database/batch.ts';
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
  rule_changed_at: string;
  timezone: string;
  business_hours: BusinessHours;
  now_ms: number;
  /** Its person, where the look at the run has read them too. */
  contact?: ContactRow;
};

/** SQL: three rows, each by its key, and the database's clock: the one look of a batch of steps (bench: runs). `id`: an expression. */
const runWith = (id: string) => `
  select r.id, r.rule_id, r.version, r.mode, r.state, r.trigger, r.event_id, r.subject_type, r.subject_id, r.contact_id, r.is_exclusive,
         r.chain, r.position, r.vars, r.steps_run, r.retries, r.job_id,
         a.deleted_at is not null as is_rule_deleted, a.updated_at::text as rule_changed_at, o.timezone, o.business_hours,
         (extract(epoch from clock_timestamp()) * 1000)::float8 as now_ms
    from automation_runs r
    join automation_rules a on a.organization_id = r.organization_id and a.id = r.rule_id
    join organizations o on o.id = r.organization_id
   where r.organization_id = $1
     and r.id = ${id}`;
const runStatement = runWith('$2');
const ofJobStatement = runWith('(select j.subject_id from jobs j where j.organization_id = $1 and j.id = $2)');

/** SQL: mostly the steps name the person, who is in the same round trip then. */
const contactOfJobStatement = `
  select ${contactColumns}
    from contacts k
   where k.organization_id = $1
     and k.id = (select r.contact_id
                   from jobs j
                   join automation_runs r on r.organization_id = j.organization_id and r.id = j.subject_id
                  where j.organization_id = $1 and j.id = $2)`;

/** The run of a job and its person, to be asked together with the job's row. */
export const runOfJob = (organizationId: string, jobId: string): BatchStatement[] =>
  [ofJobStatement, contactOfJobStatement].map((text) => ({ text, params: [organizationId, jobId] }));

/** Of its answers. */
export function runIn([runs, contacts]: Record<string, unknown>[][]): RunNow | undefined {
  const [run, contact] = [runs?.[0], contacts?.[0]];
  return run && ({ ...run, ...(contact && { contact }) } as RunNow);
}

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
