import Joi from 'joi';
import { uuid } from '../platform/ids.ts';
import { boundedFaults } from '../platform/ledger/faults.ts';
import { backoff, job } from '../platform/ledger/job.ts';

/** The place of an organization's evaluations and runs among the workers. */
export const automationPool = (organizationId: string) => `automation:${organizationId}`;
/** The lock of a run: whoever changes it holds it. */
export const runLock = (runId: string) => `automation_run:${runId}`;
export const ruleLock = (ruleId: string) => `automation_rule:${ruleId}`;

/** Made by the statement that records the event (src/platform/events/record.ts). */
export const evaluateJob = job<{ event_id: string }>({
  name: 'automation.evaluate',
  queue: 'automations',
  payload: Joi.object({ event_id: uuid }),
  subjectType: 'event',
  subject: 'event_id',
  delayMs: backoff(8),
  operation: false,
  failed: async () => {},
  revived: async () => {},
  survivesCrashes: async () => true,
  mayOutliveSubject: true,
});

/** Its contract is in runs/run-job.ts: how it ends is a rule of runs. */
export const runJobName = 'automation.run';

/**
 * The next moment of a schedule or of a date trigger. Parked till then.
 * SQL: `openSubjects` is a part of the statement of `jobs check`.
 */
export const tickJob = job<{ rule_id: string }>({
  name: 'automation.tick',
  queue: 'automations',
  payload: Joi.object({ rule_id: uuid }),
  subjectType: 'automation_rule',
  subject: 'rule_id',
  delayMs: backoff(8),
  faultDelayMs: boundedFaults,
  operation: false,
  // Loaded when it is needed: a start does not wait for the clocks of rules.
  failed: async (tx, { rule_id }) => (await import('./schedule/pause-schedule.ts')).tickFailed(tx, rule_id),
  // The rule is paused: who resumes it makes another one, and this one finds nothing to do.
  revived: async () => {},
  openSubjects: `
    select organization_id, id
      from automation_rules
     where status = 'live'
       and tick_job_id is not null`,
  mayOutliveSubject: true,
});
