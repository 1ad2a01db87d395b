import Joi from 'joi';
import { readdressMessage } from '../contacts/identities/messaging-address.ts';
import { now } from '../platform/database/columns.ts';
import { statement } from '../platform/database/statement.ts';
import { AppError } from '../platform/errors.ts';
import { uuid } from '../platform/ids.ts';
import { backoff, job } from '../platform/ledger/job.ts';
import { Message } from './message.entity.ts';
import { recordFailed } from './settle.ts';

const conversationOf = statement((select, { id }: { id: string }) =>
  select(Message).select('conversation_id').where('id', '=', id),
);

/** The code of what was called off before its time. */
export const calledOff = 'cancelled';

/** One row for each message that is scheduled; at its time it makes way for the row that sends it. */
export const sendLaterJob = job<{ message_id: string }>({
  name: 'messages.send-later',
  queue: 'messages',
  payload: Joi.object({ message_id: uuid }),
  subjectType: 'message',
  subject: 'message_id',
  delayMs: backoff(6),
  operation: false,
  async failed({ own }, { message_id }, { code, provider_code = null, message }) {
    const [found] = await conversationOf(own, { id: message_id });
    if (!found) return;
    await own.lockFound('conversation', found.conversation_id);
    await recordFailed(own, message_id, { code, provider_code, message });
  },
  /** What is retried as a message goes out at once, and has another job. */
  async revived({ own }, { message_id: id }) {
    const [found] = await conversationOf(own, { id });
    if (found) await own.lockFound('conversation', found.conversation_id);
    const again = { status: 'queued', failure: null, is_scheduled: true, updated_at: now() } as const;
    const isFailed = { id, status: 'failed', provider_message_id: null, send_at: { $ne: null } } as const;
    if ((await own.update(Message, isFailed, again)) === 0)
      throw new AppError('conflict', 'The message is no longer scheduled: retry the message itself');
    await readdressMessage(own, id);
  },
  // SQL: a part of the statement of `jobs check`.
  openSubjects: `
    select organization_id, id
      from messages
     where is_scheduled`,
});
