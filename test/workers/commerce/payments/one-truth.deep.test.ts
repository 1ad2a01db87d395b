import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { type Body, useApp } from '../../../support/app.ts';
import {
  type Account,
  askSession,
  atProvider,
  hasten,
  openSession,
  orderRow,
  owingOrder,
  type Provider,
  paymentAccount,
  paymentsOf,
  sessionsOf,
  toldAbout,
  waiting,
  webhook,
} from '../../../support/payments.ts';
import { newRandom } from '../../../support/seed.ts';
import { waitFor } from '../../../support/wait-for.ts';
import { orderRows, paymentSessionRows } from '../../../support/work/commerce.ts';
import { connectionWebhookRows } from '../../../support/work/connections.ts';

const random = newRandom();

const app = useApp({ workers: true });
let accounts: Record<Provider, Account>;
beforeAll(async () => {
  accounts = { stripe: await paymentAccount(app, 'stripe'), xendit: await paymentAccount(app, 'xendit') };
});
beforeEach(async () => {
  await app.control('POST', '/behaviour', { delay_ms: 5, retry_first_ms: 50 });
});

const is = (id: string, payment_status: string) =>
  waitFor(payment_status, async () => (await orderRow(app, id)).payment_status === payment_status);

/** What the provider might send of a session: true or not. */
function said({ provider }: Account, { provider_session_id: id, reference_id: reference }: Body, n: number): object {
  const amount = n % 3 === 0 ? 1 : 15_000_000;
  if (provider === 'stripe') {
    const type = ['checkout.session.completed', 'checkout.session.expired', 'checkout.session.async_payment_failed'][n % 3];
    const object = {
      object: 'checkout.session',
      id,
      client_reference_id: reference,
      amount_total: amount,
      payment_status: 'paid',
    };
    return { id: `evt_${n % 20}_${id}`, object: 'event', type, data: { object } };
  }
  const event = ['payment_session.completed', 'payment_session.expired', 'payment.failure'][n % 3];
  return { event, created: `${n % 20}`, data: { payment_session_id: id, reference_id: reference, amount, status: 'COMPLETED' } };
}

describe.each(['stripe', 'xendit'] as const)('%s', (provider) => {
  const account = () => accounts[provider];
  const opened = async (id: string) => openSession(app, id, { connection_id: account().id });

  test('fifty webhooks at once beside polling and our own look: one payment, one end, one event for each change', async () => {
    const id = await owingOrder(app);
    const session = await opened(id);
    await atProvider(app, session, 'pay');
    const numbers = Array.from({ length: 50 }, (_, n) => n).sort(() => random() - 0.5);
    const replies = await Promise.all(
      numbers.flatMap((n) => {
        const isForged = n % 10 === 9;
        const sent = webhook(app, account(), said(account(), session, n), isForged ? { secret: 'whsec_of_somebody' } : {});
        const polled = [
          app.call('commerce.payment-sessions.get', { params: { orderID: id, sessionID: session.id } }),
          app.call('commerce.orders.get', { params: { orderID: id } }),
        ];
        return [
          sent.then(({ status }) => [isForged, status]),
          ...polled.map((reply) => reply.then(({ status }) => ['polled', status])),
          ...(n % 10 === 0 ? [hasten(app).then(() => ['looked'])] : []),
          // The customer clicks again: the same page, or it is paid.
          ...(n % 10 === 5 ? [askSession(app, id, {}, {}).then(({ status }) => ['clicked', status])] : []),
        ];
      }),
    );
    const seen = new Set(replies.map(String));
    for (const clicked of ['clicked,200', 'clicked,409']) seen.delete(clicked);
    expect(seen).toEqual(new Set(['true,401', 'false,200', 'polled,200', 'looked']));
    await is(id, 'paid');
    await app.idle();
    expect(await paymentsOf(app, id)).toMatchObject([{ amount: '15000000', session_id: session.id }]);
    expect(await sessionsOf(app, id)).toMatchObject([{ status: 'completed' }]);
    expect(await orderRow(app, id)).toMatchObject({ status: 'confirmed', attention: [], paid_amount: '15000000' });
    expect(await toldAbout(app, id)).toEqual([
      'commerce.order.updated pending pending',
      'session open 15000000',
      'payment received 15000000',
      'session completed 15000000',
      'commerce.order.updated confirmed paid',
    ]);
  });

  test('before it is paid, nothing that a webhook says makes it so', async () => {
    const id = await owingOrder(app);
    const session = await opened(id);
    const sent = await Promise.all([0, 1, 2, 3].map((n) => webhook(app, account(), said(account(), session, n))));
    expect(sent.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    await app.idle();
    expect(await sessionsOf(app, id)).toMatchObject([{ status: 'open' }]);
    expect(await paymentsOf(app, id)).toEqual([]);
  });

  test("the provider's own webhooks pay the order, and give it back", async () => {
    const id = await owingOrder(app);
    await atProvider(app, await opened(id), 'pay');
    await is(id, 'paid');
    const options = { params: { orderID: id }, body: { amount: 1_000_000 }, headers: waiting };
    await app.control('POST', '/behaviour', { refund_status: 'pending' });
    const { body: refund } = await app.call('commerce.refunds.create', options);
    await app.control('POST', '/behaviour', { refund_status: 'succeeded' });
    await app.control('POST', `/refunds/${refund.provider_refund_id}`, { status: 'succeeded' });
    await is(id, 'partially_refunded');
  });

  test('two sessions both paid: the surplus is shown, and giving it back leaves the order paid', async () => {
    const id = await owingOrder(app);
    const first = await opened(id);
    // As if it had been ended: its page can still be paid.
    await paymentSessionRows.change(app, first.id, { status: 'cancelled' });
    const second = await opened(id);
    await Promise.all([atProvider(app, first, 'pay'), atProvider(app, second, 'pay')]);
    await waitFor('both', async () => (await paymentsOf(app, id)).length === 2);
    await app.idle();
    expect(await sessionsOf(app, id)).toMatchObject([{ status: 'completed' }, { status: 'completed' }]);
    expect(await orderRow(app, id)).toMatchObject({ payment_status: 'paid', paid_amount: '30000000', attention: ['overpaid'] });
    const reply = await app.call('commerce.refunds.create', { params: { orderID: id }, body: {}, headers: waiting });
    expect(reply.body.status).toBe('succeeded');
    expect(await orderRow(app, id)).toMatchObject({ payment_status: 'paid', attention: [], refunded_amount: '15000000' });
  });

  test('another amount than was asked for is counted and shown', async () => {
    const id = await owingOrder(app);
    const session = await opened(id);
    await atProvider(app, session, 'pay', { amount: provider === 'stripe' ? 14_000_000 : 140_000 });
    await waitFor('the payment', async () => (await paymentsOf(app, id)).length === 1);
    expect(await orderRow(app, id)).toMatchObject({
      payment_status: 'pending',
      paid_amount: '14000000',
      attention: ['amount_mismatch'],
    });
  });

  test('beyond what a number of JSON holds exactly, all together, a payment is kept and shown, and not counted', async () => {
    const id = await owingOrder(app, { reservedMinutes: 60 });
    const first = await opened(id);
    await paymentSessionRows.change(app, first.id, { status: 'cancelled' });
    const second = await opened(id);
    for (const [n, session] of [first, second].entries()) {
      await atProvider(app, session, 'pay', { amount: Number.MAX_SAFE_INTEGER });
      await waitFor('the payment', async () => (await paymentsOf(app, id)).length === n + 1);
    }
    await app.idle();
    expect(await sessionsOf(app, id)).toMatchObject([{ status: 'completed' }, { status: 'completed' }]);
    // Whole rupiah of Xendit have two digits less than ours: there one alone is too much.
    const counted = provider === 'stripe' ? { amount: String(Number.MAX_SAFE_INTEGER), note: '' } : { amount: '0' };
    const said = provider === 'stripe' ? '90071992547409.91 IDR' : '9007199254740991 IDR';
    expect(await paymentsOf(app, id)).toMatchObject([counted, { amount: '0', note: `Not counted: the provider says ${said}` }]);
    const attention = provider === 'stripe' ? ['amount_mismatch', 'overpaid'] : ['amount_mismatch'];
    expect(await orderRow(app, id)).toMatchObject({ attention });
  });

  test('money that comes after the order was cancelled is counted and shown', async () => {
    const id = await owingOrder(app);
    const session = await opened(id);
    await orderRows.change(app, id, { status: 'cancelled' });
    await atProvider(app, session, 'pay');
    await is(id, 'paid');
    expect(await orderRow(app, id)).toMatchObject({ status: 'cancelled', attention: ['paid_after_cancel'] });
  });
});

describe('a webhook', () => {
  const foreign = {
    id: 'evt_foreign',
    object: 'event',
    type: 'x',
    data: { object: { object: 'checkout.session', id: 'cs_foreign' } },
  };
  const stored = (of: string) => connectionWebhookRows.all(app, { external_id: of }, ['status']);

  test('about nothing of ours is taken, and kept as unknown', async () => {
    expect((await webhook(app, accounts.stripe, foreign)).status).toBe(200);
    await waitFor('its end', async () => (await stored('evt_foreign'))[0]?.status === 'unknown');
  });

  test('about a page that has our reference but is not ours is unknown', async () => {
    const [mine, other] = [await owingOrder(app), await owingOrder(app)];
    const session = await openSession(app, mine, { connection_id: accounts.stripe.id });
    const theirs = await openSession(app, other, { connection_id: accounts.stripe.id });
    await paymentSessionRows.change(app, session.id, { provider_session_id: null });
    const object = { object: 'checkout.session', id: theirs.provider_session_id, client_reference_id: session.reference_id };
    await paymentSessionRows.change(app, theirs.id, { provider_session_id: null });
    await atProvider(app, theirs, 'pay');
    await is(other, 'paid');
    await webhook(app, accounts.stripe, { id: 'evt_mixed', object: 'event', type: 'x', data: { object } });
    await waitFor('its end', async () => ['unknown', 'applied'].includes((await stored('evt_mixed'))[0]?.status ?? ''));
    expect(await paymentsOf(app, mine)).toEqual([]);
  });

  test('with a wrong, old or missing signature, or of another connection: 401', async () => {
    const sent = (options: object, of = accounts.stripe) => webhook(app, of, foreign, options).then(({ status }) => status);
    expect(await sent({ secret: 'whsec_wrong' })).toBe(401);
    expect(await sent({ ageSeconds: 301 })).toBe(401);
    expect(await sent({ secret: '' })).toBe(401);
    const another = await paymentAccount(app, 'stripe', { isTold: false, isDefault: false });
    expect(await sent({ secret: accounts.stripe.webhookSecret }, another)).toBe(401);
  });
});
