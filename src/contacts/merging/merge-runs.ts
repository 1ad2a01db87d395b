import { cancelRuns } from '../cancel-runs.ts';
import type { MergeTx } from './merge-tx.ts';

/* SQL: tables of automation, which stands above contacts. */

/**
 * Runs that would be a second one: live beside another of the rule and the subject, or of the same moment of a schedule. The later one, and of a
 * moment the one that still lives.
 */
const seconds = `
  select case
           when o.state in ('queued', 'running') and s.state in ('queued', 'running')
           then case when (o.created_at, o.id) > (s.created_at, s.id) then o.id else s.id end
           when o.state in ('queued', 'running') then o.id
           else s.id end as id
    from automation_runs o
    join automation_runs s on s.organization_id = $1 and s.subject_id = $3 and s.rule_id = o.rule_id
   where o.organization_id = $1
     and o.subject_id = $2
     and (o.is_exclusive and s.is_exclusive and o.state in ('queued', 'running') and s.state in ('queued', 'running')
       or o.occurs_at = s.occurs_at and (o.state in ('queued', 'running') or s.state in ('queued', 'running')))`;

/** Of two of the same moment the second keeps the subject it had. */
const moveSubjects = `
  update automation_runs o
     set subject_id = $3
   where o.organization_id = $1
     and o.subject_id = $2
     and not exists (
       select 1
         from automation_runs s
        where s.organization_id = $1 and s.rule_id = o.rule_id and s.occurs_at = o.occurs_at and s.subject_id = $3)`;

const moveWaits = `
  with gone as (
    delete from automation_waits
     where organization_id = $1
       and subject_id = $2
    returning run_id, event_type, subject_type, created_at)
  insert into automation_waits (organization_id, run_id, event_type, subject_type, subject_id, created_at)
  select $1, run_id, event_type, subject_type, $3, created_at
    from gone
  on conflict do nothing`;

/** What runs are about, and what they wait for. */
export async function moveRunSubjects(tx: MergeTx, { from, into }: { from: string; into: string }): Promise<void> {
  const doubled = await tx.sql<{ id: string }>(seconds, [from, into]);
  await cancelRuns(
    tx,
    doubled.map(({ id }) => id),
    'duplicate',
  );
  await tx.sql(moveSubjects, [from, into]);
  await tx.sql(moveWaits, [from, into]);
}

const moveContact = `
  update automation_runs
     set contact_id = $2
   where organization_id = $1
     and contact_id = $3`;

export async function mergeRuns(tx: MergeTx): Promise<number> {
  await tx.sql(moveContact, [tx.survivor, tx.merged]);
  await moveRunSubjects(tx, { from: tx.merged, into: tx.survivor });
  return 0;
}
