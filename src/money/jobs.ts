import Joi from 'joi';
import { uuid } from '../platform/ids.ts';
import { backoff, job } from '../platform/ledger/job.ts';

/** One failed for good is kept, and the next day's has nothing to catch up on. */
export const fetchRatesJob = job<{ organization_id: string }>({
  name: 'crm.fetch-rates',
  queue: 'default',
  payload: Joi.object({ organization_id: uuid }),
  subjectType: 'organization',
  subject: 'organization_id',
  delayMs: backoff(8),
  operation: false,
  failed: async () => {},
  revived: async () => {},
});
