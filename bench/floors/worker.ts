import { createHmac } from 'node:crypto';
import { Agent as HttpAgent } from 'node:http';
import got from 'got';
import pg from 'pg';
import { Agent } from 'undici';
import { v7 as uuidv7 } from 'uuid';
import { automationWork } from './automation.ts';
import { bookingSyncWork } from './booking-sync.ts';
import { inboundWork } from './inbound.ts';
import { openWorker } from './queue.ts';
import { transactions } from './transactions.ts';

/** The floor of the workers: claim, call, write the outcome, each with as few statements as one transaction needs. */
const { env } = process;
const pool = new pg.Pool({ connectionString: env.DATABASE_URL, max: 15 });
const provider = got.extend({
  prefixUrl: env.MESSAGING_APP_URL,
  agent: { http: new HttpAgent({ keepAlive: true, maxSockets: 256 }) },
  retry: { limit: 0 },
  timeout: { request: 15_000 },
});
const agent = new Agent();

const inTransaction = transactions(pool);

const claim = `update messages m set status = 'sending', sending_at = now(), updated_at = now() from jobs j, channels c
  where j.organization_id = $2 and j.id = $1 and j.state = 'queued' and m.organization_id = $2 and m.id = j.subject_id and m.status = 'queued'
    and c.organization_id = $2 and c.id = m.channel_id
  returning m.id, m.organization_id, m.conversation_id, m.channel_id, m.content, m.to_phone, c.phone_number_id, c.access_token`;
const insertEvent = `with e as (insert into events (id, organization_id, type, subject_type, subject_id, data) values ($1, $2, $3, 'message', $4, $5))
  insert into webhook_deliveries (id, organization_id, event_id, endpoint_id, state) select uuidv7(), $2, $1, id, 'pending' from webhook_endpoints where organization_id = $2 and $3 = any(event_types)`;

async function send(job: string) {
  const { rows } = await pool.query({ name: 'claim', text: claim, values: [job, env.ORGANIZATION_ID] });
  const [message] = rows;
  if (!message) return;
  const reply = await provider
    .post(`${message.phone_number_id}/messages`, {
      json: {
        messaging_product: 'whatsapp',
        recipient_type: 'individual',
        to: message.to_phone,
        type: 'text',
        text: message.content,
        biz_opaque_callback_data: message.id,
      },
      headers: { authorization: `Bearer ${message.access_token}` },
    })
    .json<{ messages: { id: string }[] }>();
  await inTransaction(async (client) => {
    await client.query({
      name: 'sent',
      text: `update messages set status = 'sent', provider_message_id = $2, updated_at = now() where organization_id = $3 and id = $1`,
      values: [message.id, reply.messages[0]!.id, message.organization_id],
    });
    const common = { message_id: message.id, conversation_id: message.conversation_id };
    for (const [type, data] of [
      ['message.sent', { ...common, channel_id: message.channel_id }],
      ['message.status_update', { ...common, status: 'sent', organization_id: message.organization_id }],
    ] as const)
      await client.query({
        name: 'event',
        text: insertEvent,
        values: [uuidv7(), message.organization_id, type, message.id, data],
      });
    await client.query({
      name: 'done',
      text: 'delete from jobs where organization_id = $2 and id = $1',
      values: [job, env.ORGANIZATION_ID],
    });
  });
}

const read = `select d.id, d.organization_id, d.endpoint_id, e.id as event_id, e.type, e.data, e.created_at, w.url, w.secret
  from jobs j join webhook_deliveries d on d.organization_id = $2 and d.id = j.subject_id
    join events e on e.organization_id = $2 and e.id = d.event_id join webhook_endpoints w on w.organization_id = $2 and w.id = d.endpoint_id
  where j.organization_id = $2 and j.id = $1 and d.state = 'pending'`;

async function deliver(job: string) {
  const { rows } = await pool.query({ name: 'read', text: read, values: [job, env.ORGANIZATION_ID] });
  const [row] = rows;
  if (!row) return;
  const { id, endpoint_id, event_id, type, data, created_at, organization_id } = row;
  const body = JSON.stringify({ id: event_id, type, timestamp: created_at, organization_id, data });
  const timestamp = Math.floor(Date.now() / 1000);
  const signature = createHmac('sha256', Buffer.from(row.secret.replace('whsec_', ''), 'base64'))
    .update(`${event_id}.${timestamp}.${body}`)
    .digest('base64');
  const startedAt = performance.now();
  const { origin, pathname } = new URL(row.url);
  const response = await agent.request({
    origin,
    path: pathname,
    method: 'POST',
    body,
    headers: {
      'content-type': 'application/json',
      'webhook-id': event_id,
      'webhook-timestamp': String(timestamp),
      'webhook-signature': `v1,${signature}`,
    },
    signal: AbortSignal.timeout(15_000),
  });
  const head = await response.body.text();
  await inTransaction(async (client) => {
    await client.query({
      name: 'delivered',
      text: `update webhook_deliveries set state = 'succeeded', attempts = attempts + 1, next_attempt_at = null, finished_at = now() where organization_id = $2 and id = $1`,
      values: [id, organization_id],
    });
    await client.query({
      name: 'attempt',
      text: `insert into webhook_attempts (id, organization_id, delivery_id, endpoint_id, number, status, duration_ms, response_head) values ($1, $2, $3, $7, 1, $4, $5, $6)`,
      values: [
        uuidv7(),
        organization_id,
        id,
        response.statusCode,
        Math.round(performance.now() - startedAt),
        head.slice(0, 20_000),
        endpoint_id,
      ],
    });
    await client.query({
      name: 'done',
      text: 'delete from jobs where organization_id = $2 and id = $1',
      values: [job, env.ORGANIZATION_ID],
    });
  });
}

const works: Record<string, (job: string) => Promise<void>> = {
  messages: send,
  webhooks: deliver,
  default: inboundWork(pool, env.ORGANIZATION_ID!),
  automations: automationWork(pool, env.ORGANIZATION_ID!),
};
/** Another work of the same queue, by the job's name. */
const named: typeof works = { 'commerce.sync-booking-calendar': bookingSyncWork(pool, env.ORGANIZATION_ID!) };
for (const queue of env.QUEUES!.split(',')) openWorker(queue, ({ id }, name) => (named[name] ?? works[queue])!(id));
