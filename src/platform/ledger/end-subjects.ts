import { dispatchedColumns, dispatchedOf, firstCheck, type Inserted } from './accept.ts';
import type { JobError } from './jobs.entity.ts';
import type { PartText } from './part.ts';
import { stateOfReleased } from './release.ts';
import { stateIs } from './states.ts';
import type { OwnTx } from './tx.ts';

/** SQL: as `releasePart`, for the lanes of several ended rows. Reads from them, or two heads of a lane would meet in jobs_head. */
const releasedBy = (ended: string, organization: string) => `
  after_${ended} as (
    update jobs
       set ${stateOfReleased},
           run_at = greatest(run_at, clock_timestamp()),
           check_at = greatest(run_at, clock_timestamp()) + ${firstCheck}
     where organization_id = ${organization}
       and id = any(array(
             select (select b.id
                       from jobs b
                      where b.organization_id = ${organization} and b.lane = e.lane and b.state = 'blocked'
                      order by b.seq
                      limit 1)
               from ${ended} e))
    returning ${dispatchedColumns})`;

/** SQL: sets that follow from one another (bench: inbound). */
const donePart: PartText = (organization, subjectIds, name) => `
  subjects_done as (
    delete from jobs
     where organization_id = ${organization} and subject_id = any(${subjectIds}::uuid[]) and name = ${name}
       and ${stateIs('state', 'queued', 'waiting')}
    returning lane),
  ${releasedBy('subjects_done', organization)}`;

const failedPart: PartText = (organization, subjectIds, name, errors) => `
  subjects_failed as (
    update jobs
       set state = 'failed', run = run + 1, finished_at = clock_timestamp(), slot_at = null,
           error = (select e.error
                      from unnest(${subjectIds}::uuid[], ${errors}::jsonb[]) as e(subject_id, error)
                     where e.subject_id = jobs.subject_id
                     limit 1)
     where organization_id = ${organization} and subject_id = any(${subjectIds}::uuid[]) and name = ${name}
       and ${stateIs('state', 'queued', 'waiting')}
    returning lane),
  ${releasedBy('subjects_failed', organization)}`;

/** The subjects' work is proven done, whichever runs their live rows are in. The lanes' locks must be held. */
export function endDoneOfSubjects(tx: OwnTx, name: string, subjectIds: string[]) {
  if (subjectIds.length === 0) return;
  tx.include({ text: donePart, params: [tx.organizationId, subjectIds, name], dispatched: 'after_subjects_done' });
}

/** The same at once, for a transaction that writes a job into the lane: in the ledger's own statement it would wait behind the ended one. */
export async function endDoneNow(tx: OwnTx, name: string, subjectIds: string[]): Promise<void> {
  const text = `with ${donePart('$1', '$2', '$3')} select * from after_subjects_done`;
  tx.dispatch(dispatchedOf(await tx.sql<Inserted>(text, [subjectIds, name])));
}

/** Operations whose turn has not come; one at work finds out by itself. */
const calledOffPart: PartText = (organization, subjectIds, name, error) => `
  subjects_off as (
    update jobs
       set state = 'done', run = run + 1, error = ${error}::jsonb, finished_at = clock_timestamp(), slot_at = null
     where organization_id = ${organization} and subject_id = any(${subjectIds}::uuid[]) and name = ${name}
       and ${stateIs('state', 'waiting')} and visible
    returning lane),
  ${releasedBy('subjects_off', organization)}`;

/** Operations that wait for room in their pool end as called off, at once as above. The lanes' locks must be held. */
export async function callOffWaitingNow(tx: OwnTx, name: string, subjectIds: string[], error: JobError): Promise<void> {
  const text = `with ${calledOffPart('$1', '$2', '$3', '$4')} select * from after_subjects_off`;
  tx.dispatch(dispatchedOf(await tx.sql<Inserted>(text, [subjectIds, name, JSON.stringify(error)])));
}

export function endFailedOfSubjects(tx: OwnTx, name: string, failed: { subjectId: string; error: JobError }[]) {
  if (failed.length === 0) return;
  const subjectIds = failed.map(({ subjectId }) => subjectId);
  const errors = failed.map(({ error }) => JSON.stringify(error));
  tx.include({ text: failedPart, params: [tx.organizationId, subjectIds, name, errors], dispatched: 'after_subjects_failed' });
}
