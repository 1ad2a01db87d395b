import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { attentions } from '../../src/commerce/orders/attention.ts';
import { shipperStatuses } from '../../src/providers/shipper/provider.ts';
import { useApp } from '../support/app.ts';
import { commandsOf, pasted } from './shell.ts';

const text = readFileSync('docs/commerce.md', 'utf8');
const app = useApp({ workers: true });

test('the commands of docs/commerce.md take an order from its draft to its delivery', async () => {
  await Promise.all([
    app.call('connections.create', { body: { provider: 'biteship', credentials: { api_key: 'biteship_test.before' } } }),
    app.call('connections.create', { body: { provider: 'stripe', credentials: { secret_key: 'sk_test_before' } } }),
  ]);
  const { code, output, told } = await pasted(app, commandsOf(text), ['ORDER', 'SHIPPER', 'PAYMENT']);
  expect([code, code === 0 ? '' : output.slice(-3_000)]).toEqual([0, '']);
  const { body: order } = await app.call('commerce.orders.get', { params: { orderID: told.ORDER! } });
  expect(order).toMatchObject({ status: 'completed', payment_status: 'paid', fulfillment_status: 'delivered', attention: [] });
  expect(order.order_no).toMatch(/^T-\d{6,}$/);
  expect(order.delivery_fee_amount).toBe(order.shipping_metadata.live_shipping.shipper_price_idr * 100);
  expect(order.total_amount).toBe(order.subtotal_amount + order.delivery_fee_amount);
  // The accounts of the page, though there were others before.
  const used = await app.one(
    `select s.connection_id as shipper, p.connection_id as payment from shipments s join payment_sessions p using (organization_id, order_id)
      where order_id = $1`,
    [told.ORDER],
  );
  expect(used).toEqual({ shipper: told.SHIPPER, payment: told.PAYMENT });
  const variant = await app.one(`select on_hand::int, reserved::int from product_variants where organization_id = $1`, [
    app.tenant.organizationId,
  ]);
  expect(variant).toEqual({ on_hand: 98, reserved: 0 });
});

test('every attention and every word of the shipper is explained', () => {
  for (const code of attentions) expect(text).toContain(`| \`${code}\` |`);
  for (const status of shipperStatuses) expect(text).toContain(`\`${status}\``);
});
