import { createHmac, timingSafeEqual } from 'node:crypto';
import express from 'express';
import pg from 'pg';
import { v7 as uuidv7 } from 'uuid';
import { contactRoutes } from './contacts.ts';
import { openQueue } from './queue.ts';

/** The floor of the HTTP paths: the same rows and replies by Express and prepared statements, and nothing that is not needed for them. */
const { env } = process;
const pool = new pg.Pool({ connectionString: env.DATABASE_URL, max: 15 });
const organizations = new Map([[env.API_KEY, env.ORGANIZATION_ID!]]);
const messages = openQueue('messages');
const webhooks = openQueue('default');
const app = express().disable('x-powered-by').disable('etag');

const columns =
  'id, channel_id, conversation_id, contact_id, direction, type, status, to_phone, content, provider_message_id, failure, created_at, updated_at';
const view = (row: Record<string, unknown>) => ({ ...row, provider_message_id: row.provider_message_id ?? '' });

app.get('/readyz', (_req, res) => void res.json({ status: 'ok' }));

app.get('/v1/messages/:id', async (req, res) => {
  const organization = organizations.get(req.get('x-api-key'));
  if (!organization) return void res.status(401).end();
  const { rows } = await pool.query({
    name: 'get',
    text: `select ${columns} from messages where organization_id = $1 and id = $2`,
    values: [organization, req.params.id],
  });
  if (!rows[0]) return void res.status(404).end();
  res.json({ data: view(rows[0]) });
});

const target = `select c.status, i.contact_id, v.id as conversation_id, v.last_inbound_at > now() - interval '24 hours' as is_open
  from channels c join contact_identities i on i.organization_id = c.organization_id and i.type = 'phone' and i.source = '' and i.value = $3
  join conversations v on v.organization_id = c.organization_id and v.channel_id = c.id and v.contact_id = i.contact_id where c.organization_id = $1 and c.id = $2`;
const insertMessage = `insert into messages (id, organization_id, channel_id, conversation_id, contact_id, direction, type, status, to_phone, content)
  values ($1, $2, $3, $4, $5, 'outbound', $6, 'queued', $7, $8) returning ${columns}`;
const touchConversation = `update conversations set preview = $2, last_message_at = now(), updated_at = now() where organization_id = $3 and id = $1`;
const insertJob = `insert into jobs (id, organization_id, name, queue, payload, subject_type, subject_id, state, check_at)
  values ($1, $2, $3, $4, $5, $6, $7, 'queued', now() + interval '5 s')`;
const insertEvent = `with e as (insert into events (id, organization_id, type, subject_type, subject_id, data) values ($1, $2, $3, $4, $5, $6))
  insert into webhook_deliveries (id, organization_id, event_id, endpoint_id, state) select uuidv7(), $2, $1, id, 'pending' from webhook_endpoints where organization_id = $2 and $3 = any(event_types)`;

app.post('/v1/messages', express.json(), async (req, res) => {
  const organization = organizations.get(req.get('x-api-key'));
  if (!organization) return void res.status(401).end();
  const { channel_id, to, type } = req.body;
  if (typeof channel_id !== 'string' || typeof to !== 'string' || type !== 'text' || typeof req.body.text?.body !== 'string')
    return void res.status(400).end();
  const client = await pool.connect();
  try {
    const found = await client.query({ name: 'target', text: target, values: [organization, channel_id, to] });
    const [person] = found.rows;
    if (!person?.is_open) return void res.status(422).end();
    const [id, job] = [uuidv7(), uuidv7()];
    await client.query('begin');
    const values = [id, organization, channel_id, person.conversation_id, person.contact_id, type, to.slice(1), req.body.text];
    const { rows } = await client.query({ name: 'message', text: insertMessage, values });
    await client.query({
      name: 'conversation',
      text: touchConversation,
      values: [person.conversation_id, req.body.text.body, organization],
    });
    await client.query({
      name: 'job',
      text: insertJob,
      values: [job, organization, 'messages.send', 'messages', { message_id: id }, 'message', id],
    });
    const data = { conversation_id: person.conversation_id, status: 'open' };
    const event = [uuidv7(), organization, 'conversation.updated', 'conversation', person.conversation_id, data];
    await client.query({ name: 'event', text: insertEvent, values: event });
    await client.query('commit');
    await messages.add('messages.send', { id: job });
    res.status(201).json({ data: view(rows[0]) });
  } catch (error) {
    await client.query('rollback');
    throw error;
  } finally {
    client.release();
  }
});

app.post('/v1/providers/messaging-app/webhook', express.raw({ type: () => true }), async (req, res) => {
  const expected = createHmac('sha256', env.MESSAGING_APP_SECRET!).update(req.body).digest();
  const given = Buffer.from((req.get('x-hub-signature-256') ?? '').replace('sha256=', ''), 'hex');
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return void res.status(401).end();
  const body = JSON.parse(req.body);
  const number = body.entry[0].changes[0].value.metadata.phone_number_id;
  const client = await pool.connect();
  try {
    const owner = await client.query({
      name: 'owner',
      text: 'select organization_id from channels where phone_number_id = $1',
      values: [number],
    });
    const organization = owner.rows[0]?.organization_id;
    if (!organization) return void res.json({});
    const [id, job] = [uuidv7(), uuidv7()];
    await client.query('begin');
    await client.query({
      name: 'webhook',
      text: `insert into provider_webhooks (id, organization_id, body, state) values ($1, $2, $3, 'received')`,
      values: [id, organization, req.body],
    });
    await client.query({
      name: 'job',
      text: insertJob,
      values: [job, organization, 'provider-webhooks.apply', 'default', { webhook_id: id }, 'provider_webhook', id],
    });
    await client.query('commit');
    await webhooks.add('provider-webhooks.apply', { id: job });
    res.json({});
  } catch (error) {
    await client.query('rollback');
    throw error;
  } finally {
    client.release();
  }
});

contactRoutes(app, pool, organizations);

app.listen(Number(env.PORT), '127.0.0.1');
