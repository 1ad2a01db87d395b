import Joi from 'joi';
import { uuid } from '../../platform/ids.ts';
import { backoff, job } from '../../platform/ledger/job.ts';
import { wake, wakeJobName } from './wake.ts';

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
