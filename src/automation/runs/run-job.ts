import Joi from 'joi';
import { uuid } from '../../platform/ids.ts';
import { backoff, job } from '../../platform/ledger/job.ts';
import { runJobName } from '../jobs.ts';
import { leftAlone } from './left-alone.ts';

/**
 * One live row as long as the run lives: parked while it waits, in the pool of the address while it calls outside.
 * SQL: `openSubjects` is a part of the statement of `jobs check`.
 */
export const runJobOfRule = job<{ run_id: string }>({
  name: runJobName,
  queue: 'automations',
  payload: Joi.object({ run_id: uuid }),
  subjectType: 'automation_run',
  subject: 'run_id',
  delayMs: backoff(8),
  operation: false,
  // Loaded when it is needed: a start does not wait for the clocks of rules.
  failed: async (tx, { run_id }, error) => (await import('./crashed.ts')).runCrashed(tx, run_id, error),
  revived: async (tx, { run_id }) => (await import('./crashed.ts')).runRevived(tx, run_id),
  openSubjects: `
    select organization_id, id
      from automation_runs
     where state in ('queued', 'running')`,
  leftAlone,
});
