import { uuidv7 } from '../../platform/ids.ts';
import type { OwnTx } from '../../platform/ledger/tx.ts';
import type { SubjectType } from '../definition/definition.ts';
import { automationPool } from '../jobs.ts';
import type { RuleMode, RunTrigger } from '../states.ts';
import { runJobOfRule } from './run-job.ts';

/**
 * `chain`: the rules that its effects have passed through, its own last. `occursAt`: of a schedule or a date. `isExclusive`: no other of the rule and the
 * subject while it lives. `startedBy`: who asked for a manual one, or `run:<id>`.
 */
export type NewRun = {
  ruleId: string;
  version: number;
  mode: RuleMode;
  trigger: RunTrigger;
  eventId?: string;
  occursAt?: Date;
  subjectType: SubjectType;
  subjectId: string;
  contactId: string | null;
  isExclusive: boolean;
  chain: string[];
  startedBy?: string;
  vars?: Record<string, unknown>;
};

/** SQL: a set, of which those that are there already make no run: of the event, of the moment, or a live one of the subject. */
const beginStatement = `
  insert into automation_runs
         (organization_id, id, rule_id, version, mode, trigger, event_id, occurs_at, subject_type, subject_id, contact_id,
          is_exclusive, chain, vars, started_by, job_id)
  select $1, x.id, x.rule_id, x.version, x.mode, x.trigger, x.event_id, x.occurs_at, x.subject_type, x.subject_id, x.contact_id,
         x.is_exclusive, x.chain, x.vars, x.started_by, x.job_id
    from jsonb_to_recordset($2::jsonb)
      as x(ord int, id uuid, rule_id uuid, version int, mode text, trigger text, event_id uuid, occurs_at timestamptz,
           subject_type text, subject_id uuid, contact_id uuid, is_exclusive boolean, chain uuid[], vars jsonb, started_by text,
           job_id uuid)
   order by x.ord
  on conflict do nothing
  returning id, job_id`;

/** With their jobs. The ids of those that were made: a repeated evaluation or tick makes no second run. The pool is there since the rule was published. */
export async function beginRuns(tx: OwnTx, runs: NewRun[]): Promise<string[]> {
  if (runs.length === 0) return [];
  const rows = runs.map((run, ord) => ({
    ord,
    id: uuidv7(),
    job_id: uuidv7(),
    rule_id: run.ruleId,
    version: run.version,
    mode: run.mode,
    trigger: run.trigger,
    event_id: run.eventId ?? null,
    occurs_at: run.occursAt?.toISOString() ?? null,
    subject_type: run.subjectType,
    subject_id: run.subjectId,
    contact_id: run.contactId,
    is_exclusive: run.isExclusive,
    chain: run.chain,
    vars: run.vars ?? {},
    started_by: run.startedBy ?? '',
  }));
  const made = await tx.sql<{ id: string; job_id: string }>(beginStatement, [JSON.stringify(rows)]);
  const pool = automationPool(tx.organizationId);
  for (const { id, job_id } of made) tx.enqueue(runJobOfRule, { run_id: id }, { pool, id: job_id });
  return made.map(({ id }) => id);
}
