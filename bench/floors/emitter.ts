import pg from 'pg';
import { v7 as uuidv7 } from 'uuid';
import { atPace } from '../pace.ts';
import { openQueue } from './queue.ts';

/** The floor of an event's birth: event, delivery and job in one transaction, then the queue. */
const { env } = process;
const pool = new pg.Pool({ connectionString: env.DATABASE_URL, max: 15 });
const queue = openQueue('webhooks');

async function emit(endpointId: string) {
  const [event, delivery, job, message] = [uuidv7(), uuidv7(), uuidv7(), uuidv7()];
  const organization = env.ORGANIZATION_ID;
  const client = await pool.connect();
  try {
    await client.query('begin');
    await client.query({
      name: 'event',
      text: `insert into events (id, organization_id, type, subject_type, subject_id, data) values ($1, $2, 'message.sent', 'message', $3, $4)`,
      values: [event, organization, message, { message_id: message, conversation_id: message, channel_id: message }],
    });
    await client.query({
      name: 'delivery',
      text: `insert into webhook_deliveries (id, organization_id, event_id, endpoint_id, state, next_attempt_at) values ($1, $2, $3, $4, 'pending', now())`,
      values: [delivery, organization, event, endpointId],
    });
    await client.query({
      name: 'job',
      text: `insert into jobs (id, organization_id, name, queue, payload, subject_type, subject_id, state, check_at)
        values ($1, $2, 'webhooks.deliver', 'webhooks', $3, 'webhook_delivery', $4, 'queued', now() + interval '5 s')`,
      values: [job, organization, { delivery_id: delivery }, delivery],
    });
    await client.query('commit');
  } finally {
    client.release();
  }
  await queue.add('webhooks.deliver', { id: job });
}

atPace((endpointId) => emit(endpointId));
