import Joi from 'joi';
import { readdressMessage } from '../contacts/identities/messaging-address.ts';
import type { RowOf } from '../platform/database/tables.ts';
import { AppError } from '../platform/errors.ts';
import { uuid } from '../platform/ids.ts';
import { backoff, job } from '../platform/ledger/job.ts';
import { markRetried } from './attempts.ts';
import { followRetry } from './campaign-sends.ts';
import type { Message } from './message.entity.ts';
import { reopenConversation } from './reopen.ts';
import { recordFailed } from './settle.ts';

export const sendMessageJob = job<{ message_id: string }>({
  name: 'messages.send',
  queue: 'messages',
  bulkQueue: 'bulk-messages',
  payload: Joi.object({ message_id: uuid }),
  subjectType: 'message',
  subject: 'message_id',
  delayMs: backoff(6),
  operation: false,
  freesRoomAtClaim: true,
  async failed({ own }, { message_id }, { code, provider_code = null, message }) {
    await recordFailed(own, message_id, { code, provider_code, message });
  },
  async revived({ own }, { message_id }) {
    // SQL: a condition within the failure's JSON.
    const [row] = await own.sql<RowOf<typeof Message, 'id' | 'campaign_id'>>(
      `update messages m
          set status = 'queued', failure = null, sending_at = null, resends = 0, updated_at = clock_timestamp()
        where m.organization_id = $1 and m.id = $2
          and m.status = 'failed' and m.provider_message_id is null
          and coalesce(m.failure->>'code', '') <> 'outcome_unknown'
       returning m.id, m.campaign_id`,
      [message_id],
    );
    if (!row) throw new AppError('conflict', 'The provider may have taken this message: retry it with force');
    await followRetry(own, row);
    await readdressMessage(own, message_id);
    await markRetried(own, message_id);
    await reopenConversation(own, message_id);
  },
  openSubjects: `
    select organization_id, id
      from messages
     where status in ('queued', 'sending')
       and not is_scheduled`,
  async survivesCrashes({ own }, { message_id }) {
    // SQL: a look at one row.
    const sending = await own.sql(
      `select 1
         from messages m
        where m.organization_id = $1
          and m.id = $2
          and m.status = 'sending'`,
      [message_id],
    );
    return sending.length > 0;
  },
});

export const readLane = (messageId: string) => `message-read:${messageId}`;

/** Of no use an hour later: few attempts. */
const readJob = (name: string) =>
  job<{ message_id: string }>({
    name,
    queue: 'default',
    payload: Joi.object({ message_id: uuid }),
    subjectType: 'message',
    subject: 'message_id',
    delayMs: backoff(4),
    operation: true,
    failed: async () => {},
    revived: async () => {},
  });

export const markReadJob = readJob('messages.mark-read');
/** The same, and the person sees that an answer is being written. */
export const showTypingJob = readJob('messages.show-typing');
