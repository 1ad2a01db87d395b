import { beforeAll, expect, test } from '@jest/globals';
import { moveOrder } from '../../../../src/commerce/orders/moves.ts';
import { orderLock } from '../../../../src/commerce/orders/order-row.ts';
import { changeOrder } from '../../../../src/commerce/orders/order-tx.ts';
import { transactFor } from '../../../../src/platform/ledger/tenant.ts';
import { useApp } from '../../../support/app.ts';
import {
  cancel,
  connectShipper,
  courier,
  fault,
  jne,
  orderRow,
  orderToSend,
  ship,
  shipmentIn,
  shipmentRow,
  there,
} from '../../../support/shipping.ts';

const app = useApp({ workers: true });
beforeAll(async () => {
  await connectShipper(app);
});

async function sent() {
  const orderID = await orderToSend(app);
  const { body } = await ship(app, orderID);
  return { orderID, id: body.id as string };
}

test.each(['drop_before', 'drop_after'])('a lost answer to the cancellation (%s) ends as cancelled', async (kind) => {
  const { orderID, id } = await sent();
  await fault(app, kind, '/v1/orders', { match: { method: 'POST', path: '/cancel' } });
  await cancel(app, orderID, id, false);
  await shipmentIn(app, id, { status: 'cancelled', provider_status: 'cancelled' });
  expect(await there(app, id)).toMatchObject([{ status: 'cancelled' }]);
});

test('a courier who was faster: the operation is a conflict, and the shipment goes on', async () => {
  const { orderID, id } = await sent();
  await courier(app, id, 'picked', { is_told: false });
  const reply = await cancel(app, orderID, id);
  expect(reply.status).toBe(409);
  expect(await shipmentRow(app, id)).toMatchObject({
    status: 'confirmed',
    provider_status: 'picked',
    failure: { code: 'conflict' },
  });
  expect(await orderRow(app, orderID)).toMatchObject({ status: 'shipped', fulfillment_status: 'shipped' });
});

test('asked five times at once it is one operation', async () => {
  const { orderID, id } = await sent();
  await fault(app, 'delay', '/v1/orders', { match: { method: 'POST', path: '/cancel' }, delay_ms: 1_500 });
  const replies = await Promise.all([1, 2, 3, 4, 5].map(() => cancel(app, orderID, id, false)));
  expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
  expect(new Set(replies.map(({ headers }) => headers.get('operation-id'))).size).toBe(1);
  await shipmentIn(app, id, { status: 'cancelled' });
  const asked = (await app.control('GET', '/requests?method=POST&path=/cancel')).requests;
  const made = await there(app, id);
  expect(asked.filter(({ path }: { path: string }) => path.includes(made[0]!.id))).toHaveLength(1);
});

test('create and cancel at once: what is live here is live there, and nothing else', async () => {
  const orders = await Promise.all(Array.from({ length: 8 }, () => orderToSend(app)));
  const made = await Promise.all(
    orders.map(async (orderID) => {
      const { body } = await ship(app, orderID, jne, false);
      await cancel(app, orderID, body.id, false);
      return body.id as string;
    }),
  );
  for (const id of made) {
    await shipmentIn(app, id, { status: 'cancelled' });
    const parcels = await there(app, id);
    expect(parcels.length).toBeLessThanOrEqual(1);
    for (const { status } of parcels) expect(status).toBe('cancelled');
  }
});

test('an order that is cancelled takes its shipment back', async () => {
  const { orderID, id } = await sent();
  const transact = transactFor(app.web.deps.ledger.transact, app.tenant.organizationId);
  await transact({ locks: [orderLock(orderID)] }, ({ own }) =>
    changeOrder(own, { id: orderID, actor: '' }, (order) => moveOrder(order, 'cancel', {})),
  );
  expect(await orderRow(app, orderID)).toMatchObject({ status: 'cancelled' });
  await shipmentIn(app, id, { status: 'cancelled' });
  expect(await there(app, id)).toMatchObject([{ status: 'cancelled' }]);
});
