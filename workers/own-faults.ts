import { type RunRow, subjectOf } from '../src/platform/ledger/run.ts';
import type { WorkerDeps } from './handler.ts';

/** The runbooks find by `subject` whom the fault keeps waiting. */
export function tellFault({ log, jobMetrics }: WorkerDeps, row: RunRow, err: unknown): void {
  const { organization_id, id, name } = row;
  log.error({ err, job: name, job_id: id, organization_id, subject: subjectOf(row) }, 'a fault of our own');
  jobMetrics.fault(name);
}
