import { violatedConstraint } from '../../platform/database/errors.ts';
import { AppError } from '../../platform/errors.ts';
import type { OwnTx } from '../../platform/ledger/tx.ts';
import { type Position, positionOf } from './position.ts';
import { type RunNow, runNow } from './run-now.ts';
import { assertAllowed, moveRun } from './run-tx.ts';
import { isSubjectThere } from './subject-there.ts';

const conflict = (code: string, message: string) =>
  new AppError('conflict', message, { details: [{ field: 'runID', location: 'path', code, message }] });
const busy = () => conflict('run.subject_busy', 'Another run of the rule is live for this subject');

/** It begins with the step that failed. One that waited for an event waits for it anew. */
function again({ calling: _, waiting, ...rest }: Position): Position {
  return waiting && (!waiting.awaits || waiting.event_id) ? { ...rest, waiting } : rest;
}

/** SQL: a set of ids. */
const keptEvents = `
  select count(*)::int as count
    from events
   where organization_id = $1
     and id = any($2::uuid[])`;

/** What it reads of the event that began it, and of the one that a step waited for, would be empty: only live runs keep their events. */
async function areEventsKept(own: OwnTx, { event_id, position }: RunNow): Promise<boolean> {
  const { event_id: awaited, waiting } = positionOf(position);
  const ids = [...new Set([event_id, awaited, waiting?.event_id].filter((one) => one != null))];
  if (ids.length === 0) return true;
  const [row] = await own.sql<{ count: number }>(keptEvents, [ids]);
  return row!.count === ids.length;
}

/** SQL: an erasure of its person, which holds no lock of runs, is over, or waits until the run is queued, and cancels it. */
const hold = `
  select 1
    from automation_runs
   where organization_id = $1
     and id = $2
     for update`;

/** SQL: a lock, which the drop of old versions passes over: one that is there now stays for the run. */
const holdVersion = `
  select 1
    from automation_rule_versions
   where organization_id = $1
     and rule_id = $2
     and number = $3
     for share`;

/**
 * The run is queued again, for that job. Needs the lock of the run. `assertMay`: refuses who may not do what its rule does; without it an operator asks. Throws 404, 403, and 409 for a state without the move, and for a subject, rule, version or event that is gone.
 */
export async function retryFor(own: OwnTx, id: string, jobId: string, assertMay?: (run: RunNow) => Promise<void>): Promise<void> {
  await own.sql(hold, [id]);
  const run = await runNow(own, id);
  assertAllowed('retry', run);
  if (run.is_rule_deleted) throw conflict('run.rule_deleted', 'The rule of the run was deleted');
  if ((await own.sql(holdVersion, [run.rule_id, run.version])).length === 0)
    throw conflict('run.version_gone', 'The version that the run began with is no longer kept');
  await assertMay?.(run);
  if (!(await areEventsKept(own, run)))
    throw conflict('run.event_gone', 'The event of the run was purged: the run cannot read it any more');
  if (!(await isSubjectThere(own, run.subject_type, run.subject_id)))
    throw conflict('run.subject_gone', `The ${run.subject_type} that the run is about is no longer there`);
  await moveRun(own, run, 'retry', setOf(run, jobId)).catch((error) => {
    throw violatedConstraint(error) === 'automation_runs_alone' ? busy() : error;
  });
}

const setOf = (run: RunNow, jobId: string) => ({
  job_id: jobId,
  position: again(positionOf(run.position)),
  retries: run.retries + 1,
  failed_step: null,
  error: null,
});
