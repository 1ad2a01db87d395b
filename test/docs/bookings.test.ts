import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { bookingCalendarStatuses } from '../../src/commerce/calendar/booking-calendar.entity.ts';
import { useApp } from '../support/app.ts';
import { commandsOf, pasted } from './shell.ts';

const text = readFileSync('docs/bookings.md', 'utf8');
const app = useApp({ workers: true });

test('the commands of docs/bookings.md put an hour of an order into a calendar', async () => {
  const product = { name: 'Advice', slug: 'advice', kind: 'service' };
  const { body: made } = await app.call('commerce.products.create', { body: product });
  const variant = { sku: 'ADVICE', name: 'An hour', prices: { USD: 5_000 } };
  const { body: sold } = await app.call('commerce.variants.create', { params: { productID: made.id }, body: variant });
  const { code, output, told } = await pasted(app, commandsOf(text), ['ORDER', 'TIME'], { 'service.variant_id': sold.id });
  expect([code, code === 0 ? '' : output.slice(-3_000)]).toEqual([0, '']);
  const { body: order } = await app.call('commerce.orders.get', { params: { orderID: told.ORDER! } });
  expect(order).toMatchObject({ status: 'confirmed', attention: [] });
  expect(order.shipping_metadata.booking).toMatchObject({
    starts_at: told.TIME,
    staff_name: 'Grace Hopper',
    calendar_sync_status: 'synced',
    calendar_event_url: expect.stringMatching(/^https:/),
  });
});

test('every state of the calendar is explained', () => {
  for (const status of bookingCalendarStatuses) expect(text).toContain(`| \`${status}\` |`);
});
