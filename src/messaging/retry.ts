import { readdressMessage } from '../contacts/identities/messaging-address.ts';
import type { Own } from '../platform/database/own.ts';
import { statement } from '../platform/database/statement.ts';
import type { RowOf } from '../platform/database/tables.ts';
import { AppError, notFound } from '../platform/errors.ts';
import { conversationLane, LocksOutdated } from '../platform/ledger/locks.ts';
import { channelPool } from '../platform/ledger/pools.ts';
import { reviveJob } from '../platform/ledger/retry.ts';
import { stateIs } from '../platform/ledger/states.ts';
import type { TenantTx } from '../platform/ledger/tx.ts';
import { markRetried, recordAttempt } from './attempts.ts';
import { followRetry } from './campaign-sends.ts';
import { windowHours } from './conversations.ts';
import { sendMessageJob } from './jobs.ts';
import { Message } from './message.entity.ts';
import { reopenConversation } from './reopen.ts';
import { calledOff } from './schedule-job.ts';
import { assertOpen } from './send.ts';
import { deleteFailedJob } from './settle.ts';

type Row = RowOf<typeof Message, 'status' | 'type' | 'channel_id' | 'conversation_id' | 'provider_message_id'> & {
  code: string | null;
  job_id: string | null;
  is_bulk: boolean | null;
  is_channel_deleted: boolean;
  is_open: boolean;
};

const conversationOfSent = statement((select, { id }: { id: string }) =>
  select(Message).select('conversation_id').where('id', '=', id).where('direction', '=', 'outbound'),
);

export async function conversationOf(own: Own, id: string): Promise<string> {
  const [row] = await conversationOfSent(own, { id });
  if (!row) throw notFound('Message');
  return row.conversation_id;
}

export const retryLocks = (conversationId: string) => [conversationLane(conversationId)];

/** Back to queued if the provider never took the message. `force`: in any case, and the person may get it twice. Idempotent. */
export async function retryMessage(tx: TenantTx, id: string, force: boolean): Promise<void> {
  const { own } = tx;
  // SQL: the job is found by its subject, its state in a form that no partial index fits (states.ts).
  const [row] = await own.sql<Row>(
    `select m.status, m.type, m.channel_id, m.conversation_id, m.provider_message_id, m.failure->>'code' as code, j.id as job_id, j.class = 1 as is_bulk,
            c.deleted_at is not null as is_channel_deleted,
            coalesce(v.last_inbound_at > clock_timestamp() - interval '${windowHours} hours', false) as is_open
       from messages m
       join channels c on c.organization_id = m.organization_id and c.id = m.channel_id
       join conversations v on v.organization_id = m.organization_id and v.id = m.conversation_id
       left join jobs j
         on j.organization_id = m.organization_id and j.subject_id = m.id and j.name = 'messages.send' and ${stateIs('j.state', 'failed')}
      where m.organization_id = $1 and m.id = $2 and m.direction = 'outbound'`,
    [id],
  );
  if (!row) throw notFound('Message');
  own.assertLocked(conversationLane(row.conversation_id));
  if (row.status === 'queued' || row.status === 'sending') return;
  if (row.status !== 'failed') throw new AppError('conflict', `The message is ${row.status}: only a failed one can be retried`);
  if (row.code === calledOff) throw new AppError('conflict', 'The message was called off: send a new one');
  if (row.is_channel_deleted) throw new AppError('conflict', 'The channel of the message was deleted');
  const mayHaveArrived = row.provider_message_id !== null || row.code === 'outcome_unknown';
  if (mayHaveArrived && !force) throw new AppError('conflict', 'The provider may have taken this message: retry it with force');
  assertOpen(row);
  // A purged job (src/platform/retention) is created again below.
  if (!mayHaveArrived && row.job_id) {
    await reviveJob(tx, row.job_id, own.organizationId);
    return;
  }
  if (row.provider_message_id !== null) await recordAttempt(own, id, { outcome: 'accepted' });
  await markRetried(own, id);
  // SQL: appends the earlier id, so that late statuses of the earlier send do not settle the new one; what they told stands behind a number.
  const [retried] = await own.sql<RowOf<typeof Message, 'id' | 'campaign_id'>>(
    `update messages m
        set status = 'queued', failure = null, is_scheduled = false,
            superseded_ids = array_remove(superseded_ids || provider_message_id, null), provider_message_id = null,
            told = (
              select jsonb_object_agg(
                       case when t.status like '%:%' then t.status else cardinality(m.superseded_ids) + 1 || ':' || t.status end, t.what)
                from jsonb_each(m.told) t(status, what)),
            sending_at = null, resends = 0, updated_at = clock_timestamp()
      where organization_id = $1 and id = $2 and status = 'failed'
     returning id, campaign_id`,
    [id],
  );
  // A late status, or the retry of its job, was faster.
  if (!retried) throw new LocksOutdated();
  await followRetry(own, retried);
  await readdressMessage(own, id);
  await reopenConversation(own, id);
  await deleteFailedJob(own, id);
  const order = { lane: conversationLane(row.conversation_id), pool: channelPool(row.channel_id) };
  own.enqueue(sendMessageJob, { message_id: id }, { ...order, class: row.is_bulk ? 'bulk' : 'conversation' });
}
