import Joi from 'joi';
import { AppError } from '../../platform/errors.ts';
import { uuid } from '../../platform/ids.ts';
import { backoff, job } from '../../platform/ledger/job.ts';
import { FlowKey } from '../key.entity.ts';

/** A key that was not uploaded in the end stays: the provider may have it after all, and the next rotation uploads it again. */
export const uploadFlowKeyJob = job<{ channel_id: string }>({
  name: 'flows.upload-key',
  queue: 'default',
  payload: Joi.object({ channel_id: uuid }),
  subjectType: 'channel',
  subject: 'channel_id',
  delayMs: backoff(8),
  operation: true,
  failed: async () => {},
  async revived({ own }, { channel_id }) {
    const key = await own.findOne(FlowKey, { channel_id, state: 'uploading' });
    if (!key) throw new AppError('conflict', 'Another rotation has uploaded the key since');
  },
  calledOff: async () => {},
});
