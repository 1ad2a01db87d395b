import { describe, expect, test } from '@jest/globals';
import { checkJobs } from '../../../src/platform/ledger/check.ts';
import { type Body, useApp } from '../../support/app.ts';
import {
  type Account,
  askSession,
  atProvider,
  hasten,
  openSession,
  orderRow,
  owingOrder,
  paymentAccount,
  sessionsOf,
} from '../../support/payments.ts';
import { storedJobs } from '../../support/stored/api-jobs.ts';
import { storedConnections } from '../../support/stored/channels.ts';
import { storedOrders } from '../../support/stored/commerce.ts';
import { now } from '../../support/stored/times.ts';
import { waitFor } from '../../support/wait-for.ts';

const app = useApp({ workers: true });

const remove = async ({ id }: Account) =>
  expect((await app.call('connections.delete', { params: { connectionID: id } })).status).toBe(204);
const settle = (orderID: string, attention: string) =>
  app.call('commerce.orders.settle', { params: { orderID }, body: { attention } });
const shown = async (orderID: string): Promise<Body> => (await app.call('commerce.orders.get', { params: { orderID } })).body;

/** A page that was handed out, of a connection that is gone since. */
async function left(reservedMinutes?: number) {
  const account = await paymentAccount(app, 'xendit', { isTold: false });
  const id = await owingOrder(app, { reservedMinutes });
  const session = await openSession(app, id, { connection_id: account.id });
  await remove(account);
  await waitFor('its end', async () => (await orderRow(app, id)).attention.length > 0);
  return { id, session };
}

describe('a page whose connection is deleted', () => {
  test('is shown no more, asks for a person, and keeps nobody from paying otherwise', async () => {
    const { id, session } = await left();
    expect(await sessionsOf(app, id)).toMatchObject([
      { id: session.id, status: 'expired', checkout_url: '', failure: { code: 'connection_deleted' } },
    ]);
    expect(await shown(id)).toMatchObject({ payment_status: 'expired', attention: ['payment_unanswered'] });
    expect(JSON.stringify(await shown(id))).not.toContain(session.checkout_url);
    expect(await checkJobs(app.web.deps.database)).toEqual([]);
    await paymentAccount(app, 'stripe', { isTold: false });
    const other = await openSession(app, id);
    expect([other.provider, other.id === session.id]).toEqual(['stripe', false]);
    await atProvider(app, other, 'pay');
    await hasten(app);
    await waitFor('the payment', async () => (await orderRow(app, id)).payment_status === 'paid');
    // The first page may have been paid as well.
    expect((await orderRow(app, id)).attention).toEqual(['payment_unanswered']);
    expect((await settle(id, 'payment_unanswered')).body.attention).toEqual([]);
  });

  test('that was paid: the reservation ends, and who finds the money writes it down', async () => {
    const { id } = await left(1);
    await storedOrders.change(app, id, { reserved_until: now() });
    await storedJobs.add(app, {
      organization_id: app.tenant.organizationId,
      name: 'commerce.expire-order',
      queue: 'default',
      payload: { order_id: id },
      subject_type: 'order',
      subject_id: id,
      state: 'queued',
      check_at: now(),
    });
    await waitFor('the end of the reservation', async () => (await orderRow(app, id)).status === 'cancelled');
    expect((await orderRow(app, id)).attention).toEqual(['payment_unanswered']);
    const body = { amount: 15_000_000, method: 'xendit' };
    expect((await app.call('commerce.payments.create', { params: { orderID: id }, body })).status).toBe(201);
    expect(await orderRow(app, id)).toMatchObject({ payment_status: 'paid', attention: ['paid_after_cancel'] });
  });

  test('asked for again before anybody has noticed, it is another one', async () => {
    const gone = await paymentAccount(app, 'xendit', { isTold: false });
    const id = await owingOrder(app);
    const session = await openSession(app, id, { connection_id: gone.id });
    await paymentAccount(app, 'stripe', { isTold: false });
    await storedConnections.change(app, gone.id, {
      deleted_at: now(),
      credentials: null,
      is_default: false,
      status: 'disconnected',
    });
    const { body } = await askSession(app, id);
    expect(body).toMatchObject({ status: 'open', provider: 'stripe' });
    expect(await sessionsOf(app, id)).toMatchObject([{ id: session.id, status: 'cancelled', checkout_url: '' }, { id: body.id }]);
  });
});

test('attention: a person settles what nothing else does, once, and nothing that goes with its cause', async () => {
  const id = await owingOrder(app);
  await storedOrders.change(app, id, { attention: ['amount_mismatch', 'overpaid', 'price_changed'] });
  expect((await settle(id, 'overpaid')).status).toBe(422);
  const { status, body } = await settle(id, 'amount_mismatch');
  expect([status, body.attention]).toEqual([200, ['overpaid', 'price_changed']]);
  expect((await settle(id, 'amount_mismatch')).body.revision).toBe(body.revision);
  const { body: timeline } = await app.call('commerce.orders.timeline', { params: { orderID: id } });
  expect(timeline.items).toMatchObject([
    { kind: 'attention', actor: `key:${app.tenant.keyId}`, data: { settled: 'amount_mismatch' } },
  ]);
});
