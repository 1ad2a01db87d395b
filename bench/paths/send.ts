import { channelPool, poolOf } from '../../src/platform/ledger/pools.ts';
import { queueMessages } from '../tenant.ts';
import { workerPath } from '../worker-path.ts';

/** Messages waiting on one channel, ten a conversation. */
export const send = workerPath({
  name: 'send',
  what: 'one worker sends to the sandbox',
  unit: 'messages/s',
  queue: 'messages',
  pool: ({ tenant }) => poolOf(tenant.organizationId, channelPool(tenant.channelId)),
  prepare: ({ sql, tenant }, _stage, count) => queueMessages(sql, tenant, count),
  async verify({ sql }, { sandbox }, messages) {
    const { rows } = await sql.query(
      `select count(distinct provider_message_id)::int as sent from messages where id = any($1) and status = 'sent'`,
      [messages],
    );
    if (rows[0].sent !== messages.length) throw new Error(`${rows[0].sent} of ${messages.length} messages were sent`);
    // The sandbox remembers what it took, to the last byte: it starts each round empty.
    await sandbox.control('DELETE', '/');
    await sandbox.control('POST', '/behaviour', { auto_status: [] });
  },
});
