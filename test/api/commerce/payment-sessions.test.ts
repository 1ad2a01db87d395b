import { beforeAll, describe, expect, test } from '@jest/globals';
import { useApp } from '../../support/app.ts';
import {
  type Account,
  askSession,
  atProvider,
  hasten,
  openSession,
  orderRow,
  owingOrder,
  paymentAccount,
  paymentsOf,
  sessionsOf,
  there,
  toldAbout,
} from '../../support/payments.ts';
import { releasePool, storedJobs } from '../../support/stored/api-jobs.ts';
import { storedConnections } from '../../support/stored/channels.ts';
import { storedOrders } from '../../support/stored/commerce.ts';
import { now } from '../../support/stored/times.ts';
import { waitFor } from '../../support/wait-for.ts';

const app = useApp({ workers: true, env: { WEBHOOK_ALLOW_HTTP: 'false' } });
let stripe: Account;
let xendit: Account;
beforeAll(async () => {
  xendit = await paymentAccount(app, 'xendit', { isTold: false, isDefault: false });
  stripe = await paymentAccount(app, 'stripe', { isTold: false });
});

const paid = (id: string) => waitFor('the order to be paid', async () => (await orderRow(app, id)).payment_status === 'paid');

test('a session whose page does not exist yet has no link', async () => {
  const { body } = await askSession(app, await owingOrder(app), { connection_id: stripe.id }, {});
  expect(body.status).toBe('creating');
  expect(body.checkout_url).toBe(null);
});

describe.each(['stripe', 'xendit'] as const)('%s', (provider) => {
  const connection = () => ({ connection_id: provider === 'stripe' ? stripe.id : xendit.id });

  test('a page for what is owed, which pays the order though no webhook comes', async () => {
    const id = await owingOrder(app);
    const session = await openSession(app, id, connection());
    expect(session).toMatchObject({ order_id: id, provider, amount: 15_000_000, currency: 'IDR', failure: null });
    expect(session.checkout_url).toMatch(/\/pay\//);
    expect(await orderRow(app, id)).toMatchObject({ payment_status: 'pending', status: 'pending' });
    await atProvider(app, session, 'pay');
    await hasten(app);
    await paid(id);
    expect(await orderRow(app, id)).toMatchObject({ status: 'confirmed', paid_amount: '15000000', attention: [] });
    expect(await paymentsOf(app, id)).toMatchObject([{ amount: '15000000', currency: 'IDR', session_id: session.id }]);
    expect(await toldAbout(app, id)).toEqual([
      'commerce.order.updated pending pending',
      'session open 15000000',
      'payment received 15000000',
      'session completed 15000000',
      'commerce.order.updated confirmed paid',
    ]);
    const read = await app.call('commerce.payment-sessions.get', { params: { orderID: id, sessionID: session.id } });
    expect(read.body).toMatchObject({ status: 'completed', payment_method: expect.stringMatching(/card|QRIS/) });
  });

  test('asked again it is the same page; when something else is owed another, and the old one is ended there', async () => {
    const id = await owingOrder(app);
    const first = await openSession(app, id, connection());
    expect((await openSession(app, id, connection())).id).toBe(first.id);
    await app.call('commerce.payments.create', { params: { orderID: id }, body: { amount: 5_000_000, method: 'cash' } });
    const second = await openSession(app, id, connection());
    expect(second).toMatchObject({ amount: 10_000_000, status: 'open' });
    expect(await sessionsOf(app, id)).toMatchObject([{ status: 'cancelled' }, { status: 'open' }]);
    const old = (await there(app)).sessions.find(({ id: one }) => one === first.provider_session_id);
    expect(old!.status).toBe(provider === 'stripe' ? 'expired' : 'canceled');
    const { body } = await app.call('commerce.payment-sessions.list', { params: { orderID: id } });
    expect(body.items.map((one: { id: string }) => one.id)).toEqual([second.id, first.id]);
  });

  test('what was paid on the old page meanwhile is counted, and no other page is made', async () => {
    const id = await owingOrder(app);
    const first = await openSession(app, id, connection());
    await app.call('commerce.payments.create', { params: { orderID: id }, body: { amount: 5_000_000, method: 'cash' } });
    await atProvider(app, first, 'pay');
    const reply = await askSession(app, id, connection());
    expect([reply.status, reply.body.error.code]).toEqual([409, 'conflict']);
    expect(await orderRow(app, id)).toMatchObject({ payment_status: 'paid', paid_amount: '20000000', attention: ['overpaid'] });
    expect(await sessionsOf(app, id)).toMatchObject([{ status: 'completed' }, { status: 'cancelled' }]);
  });

  test.each(['drop_before', 'drop_after'])('an answer that is lost (%s) leaves one page that can be paid', async (kind) => {
    const id = await owingOrder(app);
    await app.control('POST', '/faults', { kind, match: { method: 'POST', path: 'sessions' } });
    const session = await openSession(app, id, connection());
    const rows = await sessionsOf(app, id);
    const made = (await there(app)).sessions.filter(({ reference }) => rows.some((row) => row.reference_id === reference));
    if (provider === 'stripe') expect([rows.length, made.length]).toEqual([1, 1]);
    else {
      expect(rows.map(({ status }) => status)).toEqual(['unknown', 'open']);
      expect(made).toHaveLength(kind === 'drop_after' ? 2 : 1);
    }
    await atProvider(app, session, 'pay');
    await hasten(app);
    await paid(id);
  });

  test('a declined try leaves the page open; one that ended unpaid says so', async () => {
    const id = await owingOrder(app);
    const session = await openSession(app, id, connection());
    await atProvider(app, session, 'fail');
    await atProvider(app, session, 'expire');
    await hasten(app);
    await waitFor('the end', async () => (await sessionsOf(app, id))[0]!.status === 'expired');
    expect(await orderRow(app, id)).toMatchObject({ payment_status: 'expired', status: 'pending' });
    expect((await openSession(app, id, connection())).id).not.toBe(session.id);
  });
});

describe('refused', () => {
  const field = (reply: { body: { error?: { details?: { field?: string }[] } } }) => reply.body.error?.details?.[0]?.field;

  test('for an order that is paid or cancelled: 409', async () => {
    const id = await owingOrder(app);
    await app.call('commerce.payments.create', { params: { orderID: id }, body: { amount: 15_000_000, method: 'cash' } });
    expect((await askSession(app, id)).status).toBe(409);
    const other = await owingOrder(app);
    await storedOrders.change(app, other, { status: 'cancelled' });
    expect((await askSession(app, other)).status).toBe(409);
  });

  test.each([
    ['success_url', 'javascript:alert(1)'],
    ['success_url', 'http://shop.example/thanks'],
    ['cancel_url', 'https://user:secret@shop.example/'],
    ['cancel_url', '/basket'],
    ['success_url', 'data:text/html,x'],
    ['success_url', 'https://'],
  ])('%s %s: 422', async (name, value) => {
    const id = await owingOrder(app);
    const reply = await askSession(app, id, { [name]: value });
    expect([reply.status, field(reply)]).toEqual([422, name]);
    expect(await sessionsOf(app, id)).toEqual([]);
  });

  test.each([60, 100_000, 3_600.5, '3600'])('expires_in %s: 422', async (value) => {
    const reply = await askSession(app, await owingOrder(app), { expires_in: value });
    expect([reply.status, field(reply)]).toEqual([422, 'expires_in']);
  });

  test('what the provider cannot express exactly: 422, and nobody is asked', async () => {
    const id = await owingOrder(app, { total: 15_000_050 });
    const reply = await askSession(app, id, { connection_id: xendit.id });
    expect([reply.status, reply.body.error.code]).toEqual([422, 'provider_refused']);
    const euros = await owingOrder(app, { currency: 'EUR' });
    expect((await askSession(app, euros, { connection_id: xendit.id })).status).toBe(422);
    expect(await sessionsOf(app, id)).toEqual([]);
  });

  test('a connection that is none, and one of nobody', async () => {
    const id = await owingOrder(app);
    const reply = await askSession(app, id, { connection_id: '01932d5f-3a0e-7cc4-8f4e-0242ac120099' });
    expect([reply.status, reply.body.error.code]).toEqual([422, 'connection_required']);
  });

  test('a foreign order, and a session of another order: 404', async () => {
    const tenant = await app.organization();
    const id = await owingOrder(app, { tenant });
    expect((await askSession(app, id)).status).toBe(404);
    const mine = await owingOrder(app);
    const session = await openSession(app, mine);
    const params = { orderID: await owingOrder(app), sessionID: session.id };
    expect((await app.call('commerce.payment-sessions.get', { params })).status).toBe(404);
  });

  test('what the provider refuses fails the session, and is told', async () => {
    const id = await owingOrder(app);
    await app.control('POST', '/faults', { kind: 'status', status: 400, match: { method: 'POST', path: '/v1/checkout' } });
    expect((await askSession(app, id)).status).toBe(422);
    expect(await sessionsOf(app, id)).toMatchObject([{ status: 'failed', failure: { code: 'provider_refused' } }]);
    expect(await orderRow(app, id)).toMatchObject({ payment_status: 'failed' });
  });

  test('refused credentials stop the connection; the work goes on with new ones', async () => {
    const account = await paymentAccount(app, 'stripe', { isTold: false, isDefault: false });
    const id = await owingOrder(app);
    await app.control('POST', '/payment-accounts', { secret_key: account.secretKey, is_revoked: true });
    const reply = await askSession(app, id, { connection_id: account.id }, { prefer: 'wait=1' });
    expect(reply.body.status).toBe('creating');
    const connection = () => storedConnections.one(app, account.id, ['status']);
    await waitFor('the stop', async () => (await connection()).status === 'auth_error');
    await app.control('POST', '/payment-accounts', { secret_key: account.secretKey, is_revoked: false });
    await storedConnections.change(app, account.id, { status: 'connected' });
    await releasePool(app, `connection:${account.id}`);
    await storedJobs.change(app, { subject_id: id, state: ['waiting', 'queued'] }, { run_at: now() });
    await waitFor('the page', async () => (await sessionsOf(app, id))[0]!.status === 'open');
  });
});
