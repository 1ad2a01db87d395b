import Joi from 'joi';
import { AppError } from '../../platform/errors.ts';
import { uuid } from '../../platform/ids.ts';
import { backoff, job } from '../../platform/ledger/job.ts';
import { ensurePool } from '../../platform/ledger/pools.ts';
import type { OwnTx } from '../../platform/ledger/tx.ts';
import { MediaFetch } from './file.entity.ts';
import { fetchAgain, lockConversationOf, settleFile } from './received.ts';

/** Of one organization at once: its other jobs must not wait behind slow files. */
const filePool = 'files';
const filePoolWidth = 8;

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

export async function fetchLater(own: OwnTx, messageId: string): Promise<void> {
  await own.insert(MediaFetch, { message_id: messageId });
  await enqueueFetch(own, messageId);
}

/** Its row in `media_fetches` is there. */
export async function enqueueFetch(own: OwnTx, messageId: string): Promise<void> {
  await ensurePool(own, filePool, filePoolWidth);
  own.enqueue(fetchFileJob, { message_id: messageId }, { pool: filePool });
}
