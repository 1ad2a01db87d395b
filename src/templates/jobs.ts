import Joi from 'joi';
import { uuid } from '../platform/ids.ts';
import { backoff, job } from '../platform/ledger/job.ts';

export const syncTemplatesJob = job<{ channel_id: string }>({
  name: 'templates.sync',
  queue: 'default',
  payload: Joi.object({ channel_id: uuid }),
  subjectType: 'channel',
  subject: 'channel_id',
  delayMs: backoff(6),
  operation: true,
  failed: async () => {},
  revived: async () => {},
});
