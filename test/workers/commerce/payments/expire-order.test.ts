import { beforeAll, describe, expect, test } from '@jest/globals';
import { reserveStock } from '../../../../src/commerce/catalogue/stock.ts';
import { enqueueExpiry } from '../../../../src/commerce/orders/expiry.ts';
import { orderLock } from '../../../../src/commerce/orders/order-row.ts';
import { transactFor } from '../../../../src/platform/ledger/tenant.ts';
import { useApp } from '../../../support/app.ts';
import { stockedVariant } from '../../../support/factories/shop.ts';
import {
  askSession,
  atProvider,
  openSession,
  orderRow,
  owingOrder,
  paymentAccount,
  sessionsOf,
  there,
} from '../../../support/payments.ts';
import { waitFor } from '../../../support/wait-for.ts';
import { orderItemRows, orderRows, paymentRows, variantRows } from '../../../support/work/commerce.ts';
import { jobRows } from '../../../support/work/jobs.ts';
import { rightNow } from '../../../support/work/rows.ts';

const app = useApp({ workers: true });
beforeAll(async () => {
  await paymentAccount(app, 'stripe', { isTold: false });
});

const transact = () => transactFor(app.web.deps.ledger.transact, app.tenant.organizationId);

/** Of an order that is pending: its time is over now. */
async function expire(id: string): Promise<void> {
  await orderRows.change(app, id, { reserved_until: rightNow() });
  await transact()({ locks: [orderLock(id)] }, async ({ own }) => enqueueExpiry(own, id, 0));
}

/** With one piece reserved for it. */
async function reservingOrder(): Promise<{ id: string; stock(): Promise<object> }> {
  const { organizationId } = app.tenant;
  const id = await owingOrder(app, { reservedMinutes: 30 });
  const variantId = await stockedVariant(app, organizationId, { onHand: 5 });
  await orderItemRows.change(app, { order_id: id }, { variant_id: variantId, tracks_stock: true, is_shipped: true });
  const { id: itemId } = await orderItemRows.one(app, { order_id: id });
  await transact()({ locks: [orderLock(id)] }, ({ own }) => reserveStock(own, id, [{ itemId, variantId, quantity: 1 }]));
  const stock = async () => {
    const { on_hand, reserved } = await variantRows.one(app, variantId);
    return { on_hand: Number(on_hand), reserved: Number(reserved) };
  };
  return { id, stock };
}

const ended = (id: string, status: string) => waitFor(status, async () => (await orderRow(app, id)).status === status);
const looked = (id: string) =>
  waitFor('the look', async () => (await jobRows.count(app, { subject_id: id, name: 'commerce.expire-order' })) === 0);

describe('the end of a reservation', () => {
  test('without a page the order is cancelled, and its stock is free', async () => {
    const { id, stock } = await reservingOrder();
    await expire(id);
    await ended(id, 'cancelled');
    expect(await orderRow(app, id)).toMatchObject({ cancel_reason: 'expired', stock: 'released', payment_status: 'unpaid' });
    expect(await stock()).toEqual({ on_hand: 5, reserved: 0 });
  });

  test('an open page is ended at the provider first', async () => {
    const { id, stock } = await reservingOrder();
    const session = await openSession(app, id);
    await expire(id);
    await ended(id, 'cancelled');
    expect(await sessionsOf(app, id)).toMatchObject([{ status: 'expired' }]);
    const page = (await there(app)).sessions.find((one) => one.id === session.provider_session_id);
    expect(page!.status).toBe('expired');
    expect(await orderRow(app, id)).toMatchObject({ payment_status: 'expired' });
    expect(await stock()).toEqual({ on_hand: 5, reserved: 0 });
  });

  test('what was paid meanwhile wins', async () => {
    const { id, stock } = await reservingOrder();
    await atProvider(app, await openSession(app, id), 'pay');
    await expire(id);
    await ended(id, 'confirmed');
    await looked(id);
    expect(await orderRow(app, id)).toMatchObject({ payment_status: 'paid', stock: 'reserved', reserved_until: null });
    expect(await stock()).toEqual({ on_hand: 5, reserved: 1 });
  });

  test('while the provider cannot be asked the order waits, and its stock stays reserved', async () => {
    const { id, stock } = await reservingOrder();
    await openSession(app, id);
    await app.control('POST', '/faults', { kind: 'status', status: 500, times: 2, match: { method: 'POST', path: '/expire' } });
    await expire(id);
    const job = () =>
      app.one(
        `select state, run_at > clock_timestamp() + interval '20 s' as waits, attempts from jobs where subject_id = $1 and name = 'commerce.expire-order'`,
        [id],
      );
    await waitFor('the wait', async () => (await job()).waits);
    expect(await job()).toMatchObject({ attempts: 0 });
    expect(await orderRow(app, id)).toMatchObject({ status: 'pending' });
    expect(await stock()).toEqual({ on_hand: 5, reserved: 1 });
    await app.control('DELETE', '');
  });

  test('a part that was paid keeps the order for a person to decide', async () => {
    const { id } = await reservingOrder();
    await app.call('commerce.payments.create', { params: { orderID: id }, body: { amount: 1_000_000, method: 'cash' } });
    await expire(id);
    await looked(id);
    expect(await orderRow(app, id)).toMatchObject({ status: 'pending', payment_status: 'pending', reserved_until: null });
  });

  test.each([
    ['in another currency', 1_000, 'USD'],
    ['of an amount that cannot be said', 0, 'IDR'],
  ])('money %s keeps it too', async (_, amount, currency) => {
    const { id, stock } = await reservingOrder();
    await paymentRows.add(app, { organization_id: app.tenant.organizationId, order_id: id, amount: String(amount), currency });
    await expire(id);
    await looked(id);
    expect(await orderRow(app, id)).toMatchObject({ status: 'pending', reserved_until: null });
    expect(await stock()).toEqual({ on_hand: 5, reserved: 1 });
  });

  test('beside payments: each order is paid and keeps its stock, or expired and cannot be paid', async () => {
    const orders = await Promise.all(Array.from({ length: 12 }, reservingOrder));
    const sessions = await Promise.all(orders.map(({ id }) => openSession(app, id)));
    await Promise.all(
      orders.flatMap(({ id }, index) => [expire(id), atProvider(app, sessions[index]!, 'pay').catch(() => undefined)]),
    );
    await Promise.all(orders.map(({ id }) => looked(id)));
    const pages = new Map((await there(app)).sessions.map((page) => [page.id, page.status]));
    for (const [index, { id, stock }] of orders.entries()) {
      const isPaid = pages.get(sessions[index]!.provider_session_id) === 'complete';
      const { status, payment_status } = await orderRow(app, id);
      expect([status, payment_status]).toEqual(isPaid ? ['confirmed', 'paid'] : ['cancelled', 'expired']);
      expect(await stock()).toEqual({ on_hand: 5, reserved: isPaid ? 1 : 0 });
    }
  });

  test('a cancelled order gets no page', async () => {
    const { id } = await reservingOrder();
    await expire(id);
    await ended(id, 'cancelled');
    expect((await askSession(app, id)).status).toBe(409);
  });
});
