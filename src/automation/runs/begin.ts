import { uuidv7 } from '../../platform/ids.ts';
import type { PartText } from '../../platform/ledger/part.ts';
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
const beginWith = (organization: string, runs: string) => `
  insert into automation_runs
         (organization_id, id, rule_id, version, mode, trigger, event_id, occurs_at, subject_type, subject_id, contact_id,
          is_exclusive, chain, vars, started_by, job_id)
  select ${organization}, x.id, x.rule_id, x.version, x.mode, x.trigger, x.event_id, x.occurs_at, x.subject_type, x.subject_id, x.contact_id,
         x.is_exclusive, x.chain, x.vars, x.started_by, x.job_id
    from jsonb_to_recordset(${runs}::jsonb)
      as x(ord int, id uuid, rule_id uuid, version int, mode text, trigger text, event_id uuid, occurs_at timestamptz,
           subject_type text, subject_id uuid, contact_id uuid, is_exclusive boolean, chain uuid[], vars jsonb, started_by text,
           job_id uuid)
   order by x.ord
  on conflict do nothing
  returning id, job_id`;
const beginStatement = beginWith('$1', '$2');

/** SQL: a part of the ledger's statement. */
const beginPart: PartText = (organization, runs) => `
  begun as (${beginWith(organization, runs)})`;

/** With their jobs. The ids of those that were made: a repeated evaluation or tick makes no second run. The pool is there since the rule was published. */
export async function beginRuns(tx: OwnTx, runs: NewRun[]): Promise<string[]> {
  if (runs.length === 0) return [];
  const made = await tx.sql<Made>(beginStatement, [JSON.stringify(rowsOf(runs))]);
  for (const one of made) enqueueRun(tx, one);
  return made.map(({ id }) => id);
}

/** All of them, in the ledger's statement: LocksOutdated where `assertion` does not hold, over `begun`, the list of the runs, and `params`. */
export function noteRuns(tx: OwnTx, runs: NewRun[], { assertion, params }: { assertion: PartText; params: unknown[] }): void {
  const rows = rowsOf(runs);
  tx.include({ text: beginPart, params: [tx.organizationId, JSON.stringify(rows), ...params], assertion });
  for (const one of rows) enqueueRun(tx, one);
}

type Made = { id: string; job_id: string };

const enqueueRun = (tx: OwnTx, { id, job_id }: Made) =>
  tx.enqueue(runJobOfRule, { run_id: id }, { pool: automationPool(tx.organizationId), id: job_id });

const rowsOf = (runs: NewRun[]) =>
  runs.map((run, ord) => ({
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
