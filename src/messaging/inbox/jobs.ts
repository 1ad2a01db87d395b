import Joi from 'joi';
import { uuid } from '../../platform/ids.ts';
import { backoff, job } from '../../platform/ledger/job.ts';
import { sharedPool } from '../../platform/ledger/pools.ts';
import { wake, wakeJobName } from './wake.ts';

/** A row with a pool waits in the table `jobs` until its time: none of them is in the queue before. */
export const wakePool = sharedPool('conversation-wakes');
export const wakePoolWidth = 8;

/** One row for each conversation with `snoozed_until`, without a lane: its messages must not wait for it. */
export const wakeConversationJob = job<{ conversation_id: string }>({
  name: wakeJobName,
  queue: 'default',
  payload: Joi.object({ conversation_id: uuid }),
  subjectType: 'conversation',
  subject: 'conversation_id',
  delayMs: backoff(6),
  operation: false,
  // Open too early is seen; asleep for ever is not.
  async failed({ own }, { conversation_id }) {
    await own.lockFound('conversation', conversation_id);
    await wake(own, conversation_id);
  },
  revived: async () => {},
  // SQL: a part of the statement of `jobs check`.
  openSubjects: `
    select organization_id, id
      from conversations
     where snoozed_until is not null`,
});
