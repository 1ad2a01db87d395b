import Joi from 'joi';
import { AppError } from '../../platform/errors.ts';
import { uuid } from '../../platform/ids.ts';
import { backoff, job } from '../../platform/ledger/job.ts';
import { fetchAgain, lockConversationOf, settleFile } from './received.ts';

/** In the same transaction as its message, and without a lane: the conversation does not wait for a file. */
export const fetchFileJob = job<{ message_id: string }>({
  name: 'messages.fetch-file',
  queue: 'default',
  payload: Joi.object({ message_id: uuid }),
  subjectType: 'message',
  subject: 'message_id',
  delayMs: backoff(8),
  operation: false,
  async failed({ own }, { message_id }) {
    if (await lockConversationOf(own, message_id)) await settleFile(own, message_id, { status: 'failed' });
  },
  async revived({ own }, { message_id }) {
    if (!(await fetchAgain(own, message_id)))
      throw new AppError('conflict', 'The file of this message does not wait for a retry');
  },
  // SQL: part of the statement of `jobs check`.
  openSubjects: `
    select organization_id, message_id as id
      from media_fetches`,
});
