import { beforeAll, describe, expect, test } from '@jest/globals';
import { type Body, useApp } from '../../support/app.ts';
import { address, deliveryMethod, discount, type VariantMade, variant } from '../../support/factories/sold.ts';
import { storedEvents } from '../../support/stored/api-events.ts';
import { stockOfVariant, storedDiscounts } from '../../support/stored/commerce.ts';

const app = useApp({ env: { RATE_LIMIT_PER_MINUTE: '0' } });
let tea: VariantMade;

beforeAll(async () => {
  tea = await variant(app, { stock: 1000 });
});

const create = (more: object = {}, headers: Record<string, string> = {}) =>
  app.call('commerce.orders.create', { body: { items: [{ variant_id: tea.id, quantity: 1 }], ...more }, headers });
const made = async (more: object = {}): Promise<Body> => {
  const { status, body } = await create(more);
  expect([status, body.error]).toEqual([201, undefined]);
  return body;
};
const move = (order: Body, name: string, body: object = {}) =>
  app.call(`commerce.orders.${name}`, { params: { orderID: order.id }, body });
const stockOf = (id: string) => stockOfVariant(app, id);
const eventsOf = (id: string) => storedEvents.all(app, { subject_id: id }, { columns: ['type', 'data'], orderBy: 'seq' });

describe('moves', () => {
  test('confirm, process, ship, complete: the stock leaves the house once', async () => {
    const order = await made({ items: [{ variant_id: tea.id, quantity: 3 }] });
    const before = await stockOf(tea.id);
    const confirmed = await move(order, 'confirm');
    expect([confirmed.status, confirmed.body.status, confirmed.body.reserved_until]).toEqual([200, 'confirmed', null]);
    expect((await move(order, 'confirm')).body.revision).toBe(2);
    expect((await move(order, 'process')).body.status).toBe('processing');
    const shipped = (await move(order, 'ship')).body;
    expect([shipped.status, shipped.fulfillment_status]).toEqual(['shipped', 'shipped']);
    expect(await stockOf(tea.id)).toEqual({ on_hand: before.on_hand - 3, reserved: before.reserved - 3 });
    const completed = (await move(order, 'complete')).body;
    expect([completed.status, completed.fulfillment_status]).toEqual(['completed', 'delivered']);
    expect(await stockOf(tea.id)).toEqual({ on_hand: before.on_hand - 3, reserved: before.reserved - 3 });
    expect((await eventsOf(order.id)).filter(({ type }) => type === 'commerce.order.updated')).toHaveLength(5);
    const { body: timeline } = await app.call('commerce.orders.timeline', { params: { orderID: order.id } });
    expect(timeline.items.map(({ kind, data }: Body) => [kind, data.to])).toEqual([
      ['fulfillment_status', 'delivered'],
      ['status', 'completed'],
      ['fulfillment_status', 'shipped'],
      ['status', 'shipped'],
      ['status', 'processing'],
      ['status', 'confirmed'],
      ['created', undefined],
    ]);
  });

  test('restock: what had left is back once, its status and its money stay, and it is not sent again', async () => {
    const order = await made({ items: [{ variant_id: tea.id, quantity: 3 }] });
    const before = await stockOf(tea.id);
    for (const name of ['', 'confirm', 'process']) {
      if (name) await move(order, name);
      const early = await move(order, 'restock');
      const { error } = early.body;
      expect([early.status, error.code]).toEqual([409, 'conflict']);
      expect(error.details).toEqual([{ code: 'stock.not_left', message: error.message, value: expect.any(String) }]);
    }
    const shipped = (await move(order, 'ship')).body;
    const back = await move(order, 'restock');
    expect([back.status, back.body.status, back.body.payment_status]).toEqual([200, 'shipped', 'unpaid']);
    const again = await move(order, 'restock');
    expect([again.status, again.body.revision]).toEqual([200, shipped.revision + 1]);
    expect(await stockOf(tea.id)).toEqual({ on_hand: before.on_hand, reserved: before.reserved - 3 });
    expect((await move(order, 'complete')).status).toBe(200);
    expect(await stockOf(tea.id)).toEqual({ on_hand: before.on_hand, reserved: before.reserved - 3 });
    const { body: movements } = await app.call('commerce.variants.movements', { params: { variantID: tea.id } });
    expect(movements.items[0]).toMatchObject({
      kind: 'restock',
      quantity: 3,
      order_id: order.id,
      actor: `key:${app.tenant.keyId}`,
    });
    const { body: timeline } = await app.call('commerce.orders.timeline', { params: { orderID: order.id } });
    expect(timeline.items.filter(({ kind }: Body) => kind === 'restock')).toHaveLength(1);
  });

  test('restock of a cancelled order is refused: nothing of it had left', async () => {
    const order = await made();
    await move(order, 'cancel');
    const before = await stockOf(tea.id);
    expect((await move(order, 'restock')).status).toBe(409);
    expect(await stockOf(tea.id)).toEqual(before);
  });

  test('cancel gives back stock and discount; again changes nothing', async () => {
    const { id, code } = await discount(app, { maxUses: 1 });
    const before = await stockOf(tea.id);
    const order = await made({ items: [{ variant_id: tea.id, quantity: 2 }], discount_code: code });
    const cancelled = await move(order, 'cancel', { reason: 'Changed their mind' });
    expect([cancelled.status, cancelled.body.status]).toEqual([200, 'cancelled']);
    expect(await stockOf(tea.id)).toEqual(before);
    expect(await storedDiscounts.one(app, id, ['uses'])).toEqual({ uses: 0 });
    expect((await move(order, 'cancel')).body.revision).toBe(cancelled.body.revision);
    expect(await stockOf(tea.id)).toEqual(before);
  });

  test('what the machine does not have is a 409 that names both states', async () => {
    const shipped = await made();
    await move(shipped, 'confirm');
    await move(shipped, 'ship');
    const cancelled = await made();
    await move(cancelled, 'cancel');
    for (const [order, name, from, to] of [
      [shipped, 'cancel', 'shipped', 'cancelled'],
      [shipped, 'confirm', 'shipped', 'confirmed'],
      [cancelled, 'ship', 'cancelled', 'shipped'],
      [cancelled, 'confirm', 'cancelled', 'confirmed'],
      [await made(), 'process', 'pending', 'processing'],
      [await made(), 'complete', 'pending', 'completed'],
    ] as const) {
      const { status, body } = await move(order, name);
      expect([status, body.error.code]).toEqual([409, 'conflict']);
      expect(body.error.message).toContain(from);
      expect(body.error.message).toContain(to);
      // The state is in no part of the request: no field and no location, which the caller would look for there.
      expect(body.error.details).toEqual([{ code: 'status.move', message: body.error.message, value: from }]);
    }
  });

  test('an order of which nothing is sent is complete without having been shipped', async () => {
    const file = await variant(app, { kind: 'digital' });
    const order = await made({ items: [{ variant_id: file.id, quantity: 1 }] });
    await move(order, 'confirm');
    expect((await move(order, 'complete')).body.status).toBe('completed');
    const method = await deliveryMethod(app);
    const sent = await made({ delivery_method_id: method.id, shipping_address: address });
    await move(sent, 'confirm');
    expect((await move(sent, 'complete')).status).toBe(409);
  });

  test('a refund with the cancellation needs payments:write', async () => {
    const order = await made();
    const { key } = await app.key(app.tenant.organizationId, ['commerce:read', 'commerce:write']);
    const { status } = await app.call('commerce.orders.cancel', { params: { orderID: order.id }, body: { refund: true }, key });
    expect(status).toBe(403);
  });
});
