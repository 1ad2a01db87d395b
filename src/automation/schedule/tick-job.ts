import Joi from 'joi';
import { uuid } from '../../platform/ids.ts';
import { backoff, job } from '../../platform/ledger/job.ts';
import { tickJobName } from '../jobs.ts';

/**
 * The next moment of a schedule or of a date trigger. Parked till then.
 * SQL: `openSubjects` is a part of the statement of `jobs check`.
 */
export const tickJob = job<{ rule_id: string }>({
  name: tickJobName,
  queue: 'automations',
  payload: Joi.object({ rule_id: uuid }),
  subjectType: 'automation_rule',
  subject: 'rule_id',
  delayMs: backoff(8),
  operation: false,
  // Loaded when it is needed: a start does not wait for the clocks of rules.
  failed: async (tx, { rule_id }) => (await import('./pause-schedule.ts')).tickFailed(tx, rule_id),
  // The rule is paused: who resumes it makes another one, and this one finds nothing to do.
  revived: async () => {},
  openSubjects: `
    select organization_id, id
      from automation_rules
     where status = 'live'
       and tick_job_id is not null`,
  mayOutliveSubject: true,
});
