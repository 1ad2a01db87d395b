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

/** The run is queued again, for that job. Needs the lock of the run. Throws 404, and 409 for a state without the move, and for a subject or rule that is gone. */
export async function retryFor(own: OwnTx, id: string, jobId: string): Promise<void> {
  const run = await runNow(own, id);
  assertAllowed('retry', run);
  if (run.is_rule_deleted) throw conflict('run.rule_deleted', 'The rule of the run was deleted');
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
