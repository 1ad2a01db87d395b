import Joi from 'joi';
import { uuid } from '../platform/ids.ts';
import { backoff, job } from '../platform/ledger/job.ts';

const checkJob = (name: string, operation: boolean) =>
  job<{ channel_id: string }>({
    name,
    queue: 'default',
    payload: Joi.object({ channel_id: uuid }),
    subjectType: 'channel',
    subject: 'channel_id',
    delayMs: backoff(4),
    operation,
    // The next check by time finds it as well.
    failed: async () => {},
    revived: async () => {},
  });

/** Somebody asked for it. */
export const checkChannelJob = checkJob('channels.check', true);
/** The same by time: no operation that anybody waits for. */
export const watchChannelJob = checkJob('channels.watch', false);
