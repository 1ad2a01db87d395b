import { expect, test } from '@jest/globals';
import { useApp } from '../../support/app.ts';
import { address, variant } from '../../support/factories/sold.ts';
import { databaseTexts, leaks } from '../../support/leaks.ts';
import { allErased } from '../../support/stored/contacts.ts';
import { waitFor } from '../../support/wait-for.ts';

const app = useApp({ workers: true, env: { RATE_LIMIT_PER_MINUTE: '0', WEBHOOK_TIMEOUT_MS: '500' } });

const person = {
  customer_name: 'Zubeneschamali Quixworth',
  customer_email: 'zubeneschamali.quixworth@example.com',
  customer_phone: '+4915755500877',
};

test('an erased customer leaves number, items and amounts, and nothing of the person', async () => {
  const { id } = await variant(app, { stock: 5 });
  const created = await app.call('commerce.orders.create', {
    body: {
      ...person,
      items: [{ variant_id: id, quantity: 1 }],
      shipping_address: { ...address, address: 'Quixworth Lane 77' },
      notes: 'For Zubeneschamali',
    },
    headers: { 'idempotency-key': 'erased' },
  });
  const order = created.body;
  await app.call('commerce.draft-orders.create', { body: { ...person, contact_id: order.contact_id } });
  const params = { orderID: order.id };
  await app.call('commerce.orders.cancel', { params, body: { reason: 'Zubeneschamali called' } });
  const erased = await app.call('contacts.delete', { params: { contactID: order.contact_id } });
  expect(erased.status).toBe(204);
  await waitFor('the erasure', () => allErased(app));
  const left = (await app.call('commerce.orders.get', { params })).body;
  expect(left).toMatchObject({
    order_no: order.order_no,
    items: order.items,
    total_amount: order.total_amount,
    customer_phone: '',
    status: 'cancelled',
  });
  for (const field of ['contact_id', 'customer_name', 'customer_email', 'shipping_address', 'notes'])
    expect([field, field in left]).toEqual([field, false]);
  expect(leaks(await databaseTexts(app), ['Zubeneschamali', 'Quixworth Lane', '4915755500877'])).toEqual([]);
});
