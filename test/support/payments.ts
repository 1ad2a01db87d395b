import { expect } from '@jest/globals';
import { stripeSignature } from '../../sandbox/payments/webhooks.ts';
import { uuidv7 } from '../../src/platform/ids.ts';
import type { App, Body, Reply, Tenant } from './app.ts';
import { testSecrets } from './secrets.ts';

export type Provider = 'stripe' | 'xendit';
export type Account = { id: string; provider: Provider; secretKey: string; webhookSecret: string; tenant: Tenant };

const prefix = { stripe: 'sk_test_', xendit: 'xnd_development_' };

/** A connected account, the default one, whose webhooks go to Kanal unless `isTold` is false. No pace: a test would wait for it. */
export async function paymentAccount(
  app: App,
  provider: Provider,
  { tenant = app.tenant, isTold = true, isDefault = true } = {},
): Promise<Account> {
  const id = uuidv7();
  const secretKey = `${prefix[provider]}${id.replaceAll('-', '')}`;
  const webhookSecret = `whsec_${id}`;
  await app.rows('update connections set is_default = false where organization_id = $1', [tenant.organizationId]);
  await app.rows(
    `insert into connections (organization_id, id, kind, provider, name, credentials, webhook_secret, is_default)
     values ($1, $2, 'payment', $3, 'Shop', $4, $5, $6)`,
    [
      tenant.organizationId,
      id,
      provider,
      testSecrets.seal(JSON.stringify({ secret_key: secretKey })),
      testSecrets.seal(webhookSecret),
      isDefault,
    ],
  );
  await app.rows('insert into pools (organization_id, id, width) values ($1, $2, 20)', [
    tenant.organizationId,
    `connection:${id}`,
  ]);
  const account = { id, provider, secretKey, webhookSecret, tenant };
  if (isTold) await toldOf(app, account);
  return account;
}

export const webhookPath = ({ id }: Account) => `/v1/providers/payments/${id}/webhook`;

export const toldOf = (app: App, account: Account) =>
  app.control('POST', '/payment-accounts', {
    secret_key: account.secretKey,
    webhook: { url: app.base + webhookPath(account), secret: account.webhookSecret },
  });

/** An order that owes its total; no stock, no booking. */
export async function owingOrder(
  app: App,
  { tenant = app.tenant, total = 15_000_000, currency = 'IDR', reservedMinutes = undefined as number | undefined } = {},
): Promise<string> {
  const id = uuidv7();
  await app.rows(
    `insert into orders (organization_id, id, order_no, currency, delivery_fee_amount, discount_amount, subtotal_amount, total_amount,
                         customer_name, customer_email, reserved_until)
     values ($1, $2, $3, $4, 0, 0, $5, $5, 'Sari', 'sari@example.com', clock_timestamp() + $6 * interval '1 min')`,
    [tenant.organizationId, id, `A-${id.slice(-12)}`, currency, total, reservedMinutes ?? null],
  );
  await app.rows(
    `insert into order_items (organization_id, id, order_id, position, sku, name, quantity, unit_amount, discount_amount, total_amount,
                              tracks_stock, is_shipped)
     values ($1, uuidv7(), $2, 0, '', 'Batik', 1, $3, 0, $3, false, false)`,
    [tenant.organizationId, id, total],
  );
  return id;
}

export const waiting = { prefer: 'wait=20' };
const successUrl = 'https://shop.example/thanks';

export const askSession = (
  app: App,
  orderID: string,
  body: object = {},
  headers: Record<string, string> = waiting,
): Promise<Reply> =>
  app.call('commerce.payment-sessions.create', { params: { orderID }, body: { success_url: successUrl, ...body }, headers });

/** One that can be paid. */
export async function openSession(app: App, orderID: string, body: object = {}): Promise<Body> {
  const reply = await askSession(app, orderID, body);
  expect([reply.status, reply.body.status, reply.text]).toEqual([200, 'open', expect.any(String)]);
  return reply.body;
}

export const orderRow = (app: App, id: string): Promise<Body> => app.one('select * from orders where id = $1', [id]);
export const sessionsOf = (app: App, id: string): Promise<Body[]> =>
  app.rows('select * from payment_sessions where order_id = $1 order by created_at, id', [id]);
export const paymentsOf = (app: App, id: string): Promise<Body[]> =>
  app.rows('select * from payments where order_id = $1 order by created_at, id', [id]);

/** The events of an order: their types, with what they say. */
export async function toldAbout(app: App, id: string): Promise<string[]> {
  const events = await app.events(id);
  return events.map(({ type, data }) =>
    type === 'commerce.payment.updated'
      ? `${data.kind} ${data.status} ${data.amount}`
      : `${type} ${data.status} ${data.payment_status}`,
  );
}

/** What the provider has. */
export const there = async (app: App): Promise<{ sessions: Body[]; refunds: Body[] }> =>
  (await app.control('GET', '/payments')) as { sessions: Body[]; refunds: Body[] };

export const atProvider = (app: App, session: Body, act: 'pay' | 'fail' | 'expire', body: object = {}) =>
  app.control('POST', `/payments/${session.provider_session_id}/${act}`, body);

/** The parked looks at sessions and refunds are due now. */
export const hasten = (app: App, name = 'commerce.check-payment') =>
  app.rows(
    `update jobs set run_at = clock_timestamp(), check_at = clock_timestamp() where name = $1 and state in ('waiting', 'queued')`,
    [name],
  );

/** A webhook as the provider would send it; `secret`: another than the account's. */
export function webhook(app: App, account: Account, event: object, { secret = account.webhookSecret, ageSeconds = 0 } = {}) {
  const body = JSON.stringify(event);
  const time = Math.floor(Date.now() / 1000) - ageSeconds;
  const proof: Record<string, string> =
    account.provider === 'stripe' ? { 'stripe-signature': stripeSignature(body, secret, time) } : { 'x-callback-token': secret };
  return app.raw('POST', webhookPath(account), {
    key: null,
    body,
    headers: { 'content-type': 'application/json', ...proof },
  });
}

/** A session, its payment and a refund of an order: their rows, by the names of the path's parameters. */
export async function paymentRecords(app: App, orderID: string) {
  const account = await paymentAccount(app, 'stripe', { isTold: false });
  const { organizationId } = app.tenant;
  const [sessionID, paymentID, refundID] = [uuidv7(), uuidv7(), uuidv7()];
  const money = `100, 'USD'`;
  await app.rows(
    `insert into payment_sessions (organization_id, id, order_id, connection_id, provider, reference_id, status, expires_at, amount, currency)
     values ($1, $2, $3, $4, 'stripe', $5, 'completed', clock_timestamp(), ${money})`,
    [organizationId, sessionID, orderID, account.id, sessionID],
  );
  await app.rows(
    `insert into payments (organization_id, id, order_id, session_id, connection_id, provider_payment_id, amount, currency)
     values ($1, $2, $3, $4, $5, 'pi_1', ${money})`,
    [organizationId, paymentID, orderID, sessionID, account.id],
  );
  await app.rows(
    `insert into refunds (organization_id, id, order_id, payment_id, connection_id, status, actor, amount, currency)
     values ($1, $2, $3, $4, $5, 'succeeded', 'key:test', ${money})`,
    [organizationId, refundID, orderID, paymentID, account.id],
  );
  return { sessionID, paymentID, refundID };
}
