import { beforeAll, expect, test } from '@jest/globals';
import { moveIfMay } from '../../../../src/commerce/orders/moves.ts';
import { orderLock } from '../../../../src/commerce/orders/order-row.ts';
import { changeOrder } from '../../../../src/commerce/orders/order-tx.ts';
import { applyShipperOrder } from '../../../../src/commerce/shipping/apply.ts';
import type { OwnTx } from '../../../../src/platform/ledger/tx.ts';
import type { ShipperStatus } from '../../../../src/providers/shipper/provider.ts';
import { useApp } from '../../../support/app.ts';
import { address, variant } from '../../../support/factories/sold.ts';
import { fc, numRuns } from '../../../support/fast-check.ts';
import { courierWords, type Order, OrderModel, price, sum } from '../../../support/order-model.ts';
import { connectShipper, jne, menteng } from '../../../support/shipping.ts';

const app = useApp({ env: { RATE_LIMIT_PER_MINUTE: '0' } });
beforeAll(() => connectShipper(app));
const begin = 6;

type Step =
  | { do: 'create'; quantities: number[] }
  | { do: 'confirm' | 'process' | 'ship' | 'complete' | 'cancel' | 'expire' | 'restock' | 'send'; of: number }
  | { do: 'pay' | 'refund'; of: number; amount: number }
  | { do: 'hear'; of: number; word: string }
  | { do: 'adjust'; delta: number };

const of = fc.nat({ max: 4 });
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('create' as const),
      quantities: fc.array(fc.integer({ min: 1, max: 2 }), { minLength: 1, maxLength: 2 }),
    }),
  },
  {
    weight: 9,
    arbitrary: fc.record({
      do: fc.constantFrom('confirm', 'process', 'ship', 'complete', 'cancel', 'expire', 'restock', 'restock', 'send', 'send'),
      of,
    }) as fc.Arbitrary<Step>,
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constantFrom('pay' as const, 'pay' as const, 'refund' as const),
      of,
      amount: fc.constantFrom(50, 100, 200, 300),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('hear' as const), of, word: fc.constantFrom(...courierWords) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('adjust' as const), delta: fc.integer({ min: -3, max: 4 }) }) },
);

const within = (order: Order, work: (tx: OwnTx) => Promise<unknown>) =>
  app.web.deps.ledger.transact({ locks: [orderLock(order.id)] }, async (tx) => {
    await work(tx.of(app.tenant.organizationId));
  });

/** What the worker has read at the shipper. */
async function hear(order: Order, word: string): Promise<void> {
  const [shipment] = await app.rows('select id, order_id from shipments where order_id = $1 order by created_at desc limit 1', [
    order.id,
  ]);
  if (!shipment) return;
  const there = { id: `there-${shipment.id}`, reference: shipment.id, draftOrderId: null, priceIdr: null, trackingId: '' };
  const more = { courierCode: 'jne', serviceCode: 'reg', trackingNumber: '', trackingUrl: '' };
  await within(order, (tx) => applyShipperOrder(tx, shipment, { ...there, ...more, status: word as ShipperStatus }));
}

/** As its job does: an order with money is left to a person. */
const expire = (order: Order) =>
  within(order, (tx) =>
    changeOrder(tx, { id: order.id, actor: '' }, async (changed) => {
      await moveIfMay(changed, 'cancel', { by: 'time' });
    }),
  );

async function create(model: OrderModel, variantId: string, quantities: number[]): Promise<void> {
  const { status, body } = await app.call('commerce.orders.create', {
    body: {
      items: quantities.map((quantity) => ({ variant_id: variantId, quantity })),
      ...{ currency: 'USD', customer_name: 'Siti', customer_phone: '+6281200000002' },
      shipping_address: { ...address, area_id: menteng },
    },
  });
  expect(status).toBe(model.canCreate(quantities) ? 201 : 409);
  if (status === 201) model.create(body.id, quantities);
}

/** The status of the reply where the act is taken, and where it is not. */
const replies: Record<string, [taken: number, refused: number]> = {
  'commerce.payments.create': [201, 201],
  'commerce.refunds.create': [201, 422],
  'commerce.shipments.create': [201, 409],
};

async function take(model: OrderModel, variantId: string, one: Step): Promise<void> {
  if (one.do === 'create') return create(model, variantId, one.quantities);
  if (one.do === 'adjust') {
    const { delta } = one;
    const { status } = await app.call('commerce.variants.stock', { params: { variantID: variantId }, body: { delta } });
    expect(status).toBe(model.adjust(delta) ? 200 : 409);
    return;
  }
  const order = model.orders[one.of];
  if (!order) return;
  const asked = async (operationId: string, body: object, act: () => boolean) => {
    const { status } = await app.call(operationId, { params: { orderID: order.id }, body });
    const [taken, refused] = replies[operationId] ?? [200, 409];
    expect([one, order.status, status]).toEqual([one, order.status, model.act(order, act) ? taken : refused]);
  };
  if (one.do === 'hear') {
    await hear(order, one.word);
    model.act(order, () => model.hear(order, one.word));
  } else if (one.do === 'expire') {
    if (sum(order.left) > 0) return;
    await expire(order);
    model.act(order, () => order.status === 'pending' && model.move(order, 'cancel'));
  } else if (one.do === 'pay')
    await asked('commerce.payments.create', { amount: one.amount, method: 'cash' }, () => model.pay(order, one.amount));
  else if (one.do === 'refund')
    await asked('commerce.refunds.create', { amount: one.amount }, () => model.refund(order, one.amount));
  else if (one.do === 'send') {
    await asked('commerce.shipments.create', jne, () => model.send(order));
    // As its job leaves it: the shipper may know it, so that a cancellation asks there.
    await app.rows('update shipments set asked_at = clock_timestamp() where order_id = $1', [order.id]);
  } else
    await asked(`commerce.orders.${one.do}`, {}, () => (one.do === 'restock' ? model.restock(order) : model.move(order, one.do)));
}

const movementsOf = {
  reserved: ['reserve'],
  committed: ['commit', 'reserve'],
  released: ['release', 'reserve'],
  restocked: ['commit', 'reserve', 'restock'],
};

async function agree(model: OrderModel, variantId: string): Promise<void> {
  const shown = await app.one(
    `select v.on_hand::int, v.reserved::int,
            (select coalesce(sum(case m.kind when 'commit' then -m.quantity when 'reserve' then 0 when 'release' then 0 else m.quantity end), 0)::int
               from stock_movements m where m.variant_id = v.id) as moved
       from product_variants v where v.id = $1`,
    [variantId],
  );
  expect(shown).toEqual({ on_hand: model.onHand, reserved: model.reserved(), moved: model.onHand - begin });
  for (const order of model.orders) {
    const { body } = await app.call('commerce.orders.get', { params: { orderID: order.id } });
    const { status, payment_status, fulfillment_status, paid_amount, refunded_amount, attention } = body;
    const left = sum(order.left);
    expect({ status, payment_status, fulfillment_status, paid_amount, refunded_amount }).toEqual({
      status: order.status,
      payment_status: model.payment(order),
      fulfillment_status: order.fulfillment,
      paid_amount: order.paid,
      refunded_amount: order.paid - left,
    });
    expect(attention.includes('overpaid')).toBe(left > sum(order.quantities) * price);
    expect(attention.includes('paid_after_cancel')).toBe(order.isLate);
    const { n } = await app.one(
      `select count(*)::int as n from events where subject_id = $1 and type = 'commerce.order.updated'`,
      [order.id],
    );
    expect([order.id, n]).toEqual([order.id, order.events]);
    const movements = await app.rows(
      `select kind, array_agg(quantity::int order by quantity) as quantities
         from stock_movements where order_id = $1 group by kind order by kind`,
      [order.id],
    );
    const quantities = order.quantities.toSorted();
    expect(movements).toEqual(movementsOf[order.stock].map((kind) => ({ kind, quantities })));
  }
}

/** One order is delivered and partly refunded, one is paid and restocked, one is cancelled. */
const wayThrough: Step[] = [
  { do: 'create', quantities: [1, 2] },
  { do: 'pay', of: 0, amount: 300 },
  { do: 'send', of: 0 },
  { do: 'hear', of: 0, word: 'picked' },
  { do: 'hear', of: 0, word: 'delivered' },
  { do: 'refund', of: 0, amount: 100 },
  { do: 'create', quantities: [1] },
  { do: 'pay', of: 1, amount: 100 },
  { do: 'ship', of: 1 },
  { do: 'restock', of: 1 },
  { do: 'create', quantities: [1] },
  { do: 'cancel', of: 2 },
];

test('any sequence of orders, payments, expiries, moves, shipments, refunds and restocks agrees with the model', async () => {
  const reached = new Set<string>();
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 80, maxLength: 120 }), async (steps) => {
      const { id } = await variant(app, { stock: begin, prices: { USD: price } });
      const model = new OrderModel(begin);
      for (const one of steps) await take(model, id, one);
      await agree(model, id);
      for (const order of model.orders) reached.add(order.stock).add(order.fulfillment).add(model.payment(order));
    }),
    { numRuns: numRuns({ default: 2, deep: 15 }), examples: [[wayThrough]] },
  );
  // The first example gets there, at least: sequences that never did would agree about nothing.
  expect([...reached]).toEqual(
    expect.arrayContaining(['committed', 'released', 'restocked', 'delivered', 'paid', 'partially_refunded']),
  );
}, 240_000);
