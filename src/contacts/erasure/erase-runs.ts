import type { OwnTx } from '../../platform/ledger/tx.ts';
import { cancelRuns } from '../cancel-runs.ts';

/* SQL: tables of automation, which stands above contacts. */

/** About the person, or about the person's conversation. Locked: a failed one that is retried at this moment is live before its state is looked at. */
const about = `
  select id
    from automation_runs
   where organization_id = $1
     and id = any(array(
           select id
             from automation_runs
            where organization_id = $1
              and contact_id = $2
           union
           select id
             from automation_runs
            where organization_id = $1
              and subject_id = any($3::uuid[])))
   order by id
     for update`;

/** What a `stop` step says may be of the person; why a run was cancelled is a word of ours. */
const ownReasons = `'{asked,restarted,exit_when,rule_deleted,contact_deleted,conditions,duplicate}'::text[]`;

/** Rows and states stay, for the rules' counts; a failed one keeps its code. */
const blank = `
  with blanked as (
    update automation_runs
       set contact_id = null,
           vars = '{}',
           reason = case when state = 'cancelled' and reason = any(${ownReasons}) then reason else '' end,
           error = error || '{"message": "Removed with the contact"}'
     where organization_id = $1
       and id = any($2::uuid[])),
  jobless as (
    delete from jobs
     where organization_id = $1
       and subject_id = any($2::uuid[])
       and name = 'automation.run'
       and state = 'failed')
  update automation_steps
     set input = null,
         output = null,
         error = error || '{"message": "Removed with the contact"}'
   where organization_id = $1
     and run_id = any($2::uuid[])
     and (input is not null or output is not null or error is not null)`;

/** Live runs are cancelled; of all that were about the person nothing is left that a step was given, or gave. `subjects`: ids the person had, and conversations. */
export async function leaveRuns(tx: OwnTx, contactId: string, subjects: string[]): Promise<void> {
  const runs = await tx.sql<{ id: string }>(about, [contactId, subjects]);
  if (runs.length === 0) return;
  const ids = runs.map(({ id }) => id);
  await cancelRuns(tx, ids, 'contact_deleted');
  await tx.sql(blank, [ids]);
}
