import { createHmac, timingSafeEqual } from 'node:crypto';
import express from 'express';
import pg from 'pg';
import { v7 as uuidv7 } from 'uuid';
import { contactRoutes } from './contacts.ts';
import { crmRoutes } from './crm.ts';
import { flowDocumentRoutes } from './flow-document.ts';
import { flowExchangeRoutes } from './flow-exchange.ts';
import { listRoutes } from './lists.ts';
import { mediaRoutes } from './media.ts';
import { insertJob, messageRoutes } from './messages.ts';
import { orderRoutes } from './orders.ts';
import { paymentWebhookRoutes } from './payment-webhook.ts';
import { openQueue } from './queue.ts';

/** The floor of the HTTP paths: the same rows and replies by Express and prepared statements, and nothing that is not needed for them. */
const { env } = process;
const pool = new pg.Pool({ connectionString: env.DATABASE_URL, max: 15 });
const organizations = new Map([[env.API_KEY, env.ORGANIZATION_ID!]]);
const messages = openQueue('messages');
const webhooks = openQueue('default');
const app = express().disable('x-powered-by').disable('etag');

app.get('/readyz', (_req, res) => void res.json({ status: 'ok' }));

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
crmRoutes(app, pool, organizations);
flowDocumentRoutes(app, pool);
flowExchangeRoutes(app, pool);
listRoutes(app, pool, organizations);
mediaRoutes(app, pool, organizations);
messageRoutes(app, pool, organizations, messages);
orderRoutes(app, pool, organizations);
paymentWebhookRoutes(app, pool, webhooks);

app.listen(Number(env.PORT), '127.0.0.1');
