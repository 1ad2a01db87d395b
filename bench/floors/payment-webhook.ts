import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Queue } from 'bullmq';
import express from 'express';
import type pg from 'pg';
import { v7 as uuidv7 } from 'uuid';
import { insertJob } from './messages.ts';
import { transactions } from './transactions.ts';

const toleranceSeconds = 300;
const owner = `select organization_id, webhook_secret from connections where id = $1 and kind = 'payment' and deleted_at is null`;
const store = `insert into connection_webhooks (organization_id, id, connection_id, external_id, body) values ($1, $2, $3, $4, $5)
  on conflict on constraint connection_webhooks_external do nothing`;

function isSigned(header: string, body: Buffer, secret: string): boolean {
  const { t: time, v1: given = '' } = Object.fromEntries(header.split(',').map((part) => part.split('=')));
  if (!(Math.abs(Date.now() / 1000 - Number(time)) < toleranceSeconds)) return false;
  const expected = createHmac('sha256', secret).update(`${time}.`).update(body).digest();
  const bytes = Buffer.from(given, 'hex');
  return bytes.length === expected.length && timingSafeEqual(bytes, expected);
}

/** A payment provider's webhook: its signature checked, stored with its job, once. */
export function paymentWebhookRoutes(app: express.Express, pool: pg.Pool, queue: Queue) {
  const inTransaction = transactions(pool);
  app.post('/v1/providers/payments/:id/webhook', express.raw({ type: () => true }), async (req, res) => {
    const { rows } = await pool.query({ name: 'payment-owner', text: owner, values: [req.params.id] });
    const [connection] = rows;
    if (!connection) return void res.status(404).end();
    if (!isSigned(req.get('stripe-signature') ?? '', req.body, connection.webhook_secret)) return void res.status(401).end();
    const { id: externalId } = JSON.parse(req.body);
    const organization = connection.organization_id;
    const [id, job] = [uuidv7(), uuidv7()];
    const isNew = await inTransaction(async (client) => {
      const values = [organization, id, req.params.id, externalId, req.body];
      const stored = await client.query({ name: 'payment-webhook', text: store, values });
      if (stored.rowCount === 0) return false;
      await client.query({
        name: 'job',
        text: insertJob,
        values: [job, organization, 'connections.apply-webhook', 'default', { webhook_id: id }, 'connection_webhook', id],
      });
      return true;
    });
    if (isNew) await queue.add('connections.apply-webhook', { id: job });
    res.json({});
  });
}
