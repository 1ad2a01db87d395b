import { randomBytes, randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from '@jest/globals';
import { videoClient } from '../../../sandbox/tokens.ts';
import { type Body, type Reply, useApp } from '../../support/app.ts';
import { at, bookable, bookingOf, shiftBooking } from '../../support/bookings.ts';
import { variant } from '../../support/factories/sold.ts';
import { everythingLeftBy, leaks, type Text } from '../../support/leaks.ts';
import { atProvider, openSession, orderRow, owingOrder } from '../../support/payments.ts';
import { cilandak, courier, orderToSend, ship, shipmentIn } from '../../support/shipping.ts';
import { storedIdempotencyKeys } from '../../support/stored/accounts.ts';
import { storedEvents } from '../../support/stored/api-events.ts';
import { storedConnections } from '../../support/stored/channels.ts';
import { storedCommerceSettings, storedPayments } from '../../support/stored/commerce.ts';
import { waitFor } from '../../support/wait-for.ts';

const publicUrl = 'https://kanal.example.com';
const app = useApp({ workers: true, env: { PUBLIC_URL: publicUrl } });

const secrets = new Set<string>();
const refusals: Text[] = [];
const keep = (secret: string) => {
  secrets.add(secret);
  return secret;
};
const word = () => keep(`secret${randomBytes(12).toString('hex')}`);

async function call(expected: number, operationId: string, options: Parameters<typeof app.call>[1] = {}): Promise<Reply> {
  const reply = await app.call(operationId, options);
  if (reply.status >= 400) refusals.push({ place: `the ${reply.status} of ${operationId}`, text: reply.text });
  expect([operationId, reply.status]).toEqual([operationId, expected]);
  return reply;
}

type Connected = Body & { credentials: Record<string, string>; secret: string };

/** Made twice under one key, refused once with others, and given another webhook secret. */
async function connected(
  provider: string,
  credentials: Record<string, string>,
  wrong: Record<string, string>,
): Promise<Connected> {
  const body = { provider, credentials, webhook_secret: word() };
  const headers = { 'idempotency-key': randomUUID() };
  await call(422, 'connections.create', { body: { ...body, credentials: wrong, webhook_secret: word() } });
  await call(201, 'connections.create', { body, headers });
  const { id } = (await call(201, 'connections.create', { body, headers })).body;
  const params = { connectionID: id };
  const secret = word();
  const { body: changed } = await call(200, 'connections.update', { params, body: { webhook_secret: secret } });
  await call(422, 'connections.update', { params, body: { credentials: wrong } });
  await call(200, 'connections.check', { params, headers: { prefer: 'wait=10' } });
  return { ...changed, credentials, secret };
}

async function consented(): Promise<void> {
  await app.control('POST', '/behaviour', { consent: 'allow' });
  const body = { provider: 'google', return_url: 'https://app.example.com/settings' };
  const started = await call(200, 'connections.oauth.start', { body, headers: { 'idempotency-key': randomUUID() } });
  const page = await fetch(started.body.authorize_url, { redirect: 'manual' });
  const { state, code } = Object.fromEntries(new URL(page.headers.get('location')!).searchParams) as Record<string, string>;
  keep(state!.split('.')[1]!);
  keep(code!);
  await call(302, 'connections.oauth.callback', { key: null, query: { state: state!, code: code! } });
  await call(422, 'connections.oauth.callback', { key: null, query: { state: state!, code: code! } });
  await call(422, 'connections.oauth.callback', {
    key: null,
    query: { state: `${app.tenant.organizationId}.${word()}`, code: word() },
  });
}

const forged = async (road: string, id: string, headers: Record<string, string>) => {
  const reply = await app.raw('POST', `/v1/providers/${road}/${id}/webhook`, { key: null, body: '{"id":"evt_1"}', headers });
  expect(reply.status).toBe(401);
  refusals.push({ place: 'the 401 of a forged webhook', text: reply.text });
};

async function paid({ id, provider, credentials, secret }: Connected): Promise<void> {
  const { secret_key } = credentials;
  const url = `${app.base}/v1/providers/payments/${id}/webhook`;
  await app.control('POST', '/payment-accounts', { secret_key, webhook: { url, secret } });
  const orderId = await owingOrder(app);
  const session = await openSession(app, orderId, { connection_id: id });
  await atProvider(app, session, 'pay');
  await waitFor('the payment', async () => (await orderRow(app, orderId)).payment_status === 'paid');
  const [payment] = await storedPayments.all(app, { order_id: orderId }, { columns: ['id'] });
  const refund = { params: { orderID: orderId }, body: { payment_id: payment.id, amount: 100_00 } };
  await call(201, 'commerce.refunds.create', { ...refund, headers: { prefer: 'wait=10', 'idempotency-key': randomUUID() } });
  const time = Math.floor(Date.now() / 1000);
  const [header, proof] = provider === 'stripe' ? ['stripe-signature', `t=${time},v1=${word()}`] : ['x-callback-token', word()];
  await forged('payments', id, { [header]: proof });
}

async function sent({ id, credentials, secret }: Connected): Promise<void> {
  const origin = { contact_name: 'Store', contact_phone: '+6281200000001', address: 'Jl. Satu 1', area_id: cilandak };
  await storedCommerceSettings.change(app, { organization_id: app.tenant.organizationId }, { shipping_origin: origin });
  const webhook = { url: `${app.base}/v1/providers/shipping/${id}/webhook`, header: 'x-webhook-secret', secret };
  await app.control('POST', '/shipper-accounts', { api_key: credentials.api_key, webhook });
  const { status, body } = await ship(app, await orderToSend(app));
  expect(status).toBe(201);
  await courier(app, body.id, 'picked');
  await shipmentIn(app, body.id, { provider_status: 'picked' });
  await forged('shipping', id, { 'x-webhook-secret': word() });
}

/** By a customer, with the tokens that this gives them. */
async function booked(calendar: Connected, video: Connected): Promise<void> {
  const staff = { calendar_connection_id: calendar.id, video_connection_id: video.id };
  const { serviceId } = await bookable(app, app.tenant, { staff, service: { conference: 'video' } });
  const { id: variantId } = await variant(app, { stock: 5 });
  const body = { items: [{ variant_id: variantId, quantity: 1 }] };
  const headers = { 'idempotency-key': randomUUID() };
  await call(201, 'commerce.orders.create', { body, headers });
  const { id: orderID } = (await call(201, 'commerce.orders.create', { body, headers })).body;
  const params = { orderID };
  await call(201, 'commerce.orders.booking.create', { params, body: { service_id: serviceId, starts_at: at(3) } });
  const { checkout_token: token } = bookingOf((await call(200, 'commerce.orders.confirm', { params })).body);
  keep(token);
  await call(200, 'checkout.get', { key: null, params: { token } });
  await call(200, 'checkout.reschedule', { key: null, params: { token }, body: { starts_at: at(4) } });
  // Before a browser asks from a page of another origin, and what nobody serves.
  for (const path of [`/v1/checkout/${token}`, `/v1/checkout/${token}/reschedule`])
    await app.raw('OPTIONS', path, { key: null, headers: { origin: 'https://shop.example' } });
  await app.raw('GET', `/v1/checkout/${token}/nowhere`, { key: null });
  await call(404, 'checkout.get', { key: null, params: { token: `co_${word()}` } });

  const once = { params, headers: { 'idempotency-key': randomUUID() } };
  const { checkin_token } = (await call(200, 'commerce.orders.booking.checkin-token', once)).body;
  expect((await call(200, 'commerce.orders.booking.checkin-token', once)).body.checkin_token).toBe(checkin_token);
  keep(checkin_token);
  await call(404, 'commerce.bookings.check-in', { body: { token: `ci_${word()}` } });
  await shiftBooking(app, orderID, '1 hour');
  await call(200, 'commerce.bookings.check-in', { body: { token: checkin_token } });
  await waitFor('the calendar', async () => {
    const { body: order } = await app.call('commerce.orders.get', { params });
    return bookingOf(order).calendar_sync_status === 'synced';
  });
}

beforeAll(async () => {
  const account = randomUUID().slice(0, 8);
  const given: [provider: string, credentials: Record<string, string>, wrong: Record<string, string>][] = [
    ['google', { refresh_token: keep(`sandbox-refresh-token-${account}`) }, { refresh_token: word() }],
    [
      'zoom',
      { account_id: `video${account}`, client_id: videoClient.id, client_secret: keep(videoClient.secret) },
      { account_id: `video${account}`, client_id: videoClient.id, client_secret: word() },
    ],
    ['biteship', { api_key: keep(`biteship_test.${randomBytes(12).toString('hex')}`) }, { api_key: word() }],
    ['stripe', { secret_key: keep(`sk_test_${randomBytes(12).toString('hex')}`) }, { secret_key: word() }],
    ['xendit', { secret_key: keep(`xnd_development_${randomBytes(12).toString('hex')}`) }, { secret_key: word() }],
  ];
  const made: Connected[] = [];
  for (const each of given) made.push(await connected(...each));
  const [google, zoom, biteship, stripe, xendit] = made as [Connected, Connected, Connected, Connected, Connected];
  await call(200, 'commerce.settings.update', { body: { store_name: 'Shop', currency: 'USD' } });
  await consented();
  await booked(google, zoom);
  await paid(stripe);
  await paid(xendit);
  await sent(biteship);
  const rows = await storedConnections.all(app, {}, { columns: ['credentials', 'access_token'] });
  for (const { credentials, access_token } of rows) {
    for (const [name, secret] of Object.entries(JSON.parse(app.web.deps.secrets.open(credentials)) as Record<string, string>))
      if (/token|key|secret/.test(name)) keep(secret);
    if (access_token) keep(app.web.deps.secrets.open(access_token));
  }
  // The last word of every provider is a refusal, which is kept and told.
  await app.control('POST', '/tokens/revoke', {});
  await call(422, 'connections.check', { params: { connectionID: google.id }, headers: { prefer: 'wait=10' } });
  await app.idle();
}, 240_000);

test('the journey was a whole one', async () => {
  const kept = await app.counts();
  expect(kept).toMatchObject({ connections: 6, payments: 2, refunds: 2, shipments: 1, bookings: 1 });
  expect(kept.connection_webhooks).toBeGreaterThanOrEqual(3);
  expect(kept.idempotency_keys).toBeGreaterThanOrEqual(8);
  expect(kept.audit_log).toBeGreaterThanOrEqual(10);
  expect(await storedEvents.count(app, { type: 'connection.status_update' })).toBeGreaterThanOrEqual(7);
  // Five credentials, two webhook secrets each and one that is refused, tokens of three accounts, those of the customer, those that are forged.
  expect(secrets.size).toBeGreaterThanOrEqual(35);
  expect(refusals.length).toBeGreaterThanOrEqual(15);
});

test('no credential, token, check-in token or webhook secret stands in the clear in database, log, event, audit row, stored reply or error', async () => {
  expect(leaks(await everythingLeftBy(app), secrets)).toEqual([]);
  expect(leaks(refusals, secrets)).toEqual([]);
});

test('stored replies are sealed: opened, they have the tokens that were shown once', async () => {
  const replies = await storedIdempotencyKeys.all(app, {}, { columns: ['reply'] });
  const text = replies.map(({ reply }) => app.web.deps.secrets.open(reply)).join('\n');
  expect(leaks([{ place: 'opened', text }], secrets).length).toBeGreaterThanOrEqual(1);
});
