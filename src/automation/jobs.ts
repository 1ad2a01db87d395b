import Joi from 'joi';
import { uuid } from '../platform/ids.ts';
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
/** Its contract is in schedule/tick-job.ts: how it ends is a rule of schedules. */
export const tickJobName = 'automation.tick';
