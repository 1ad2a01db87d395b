import { beforeEach, expect, test } from '@jest/globals';
import { newCheckoutToken } from '../../../src/commerce/orders/checkout-token.ts';
import { type Body, type Tenant, useApp } from '../../support/app.ts';
import { at, book, bookable, bookingOf, dayOf, orderFor, shiftBooking } from '../../support/bookings.ts';
import { testSecrets } from '../../support/secrets.ts';
import { storedEvents } from '../../support/stored/api-events.ts';
import { storedBookings } from '../../support/stored/commerce.ts';

const app = useApp();
let own: Tenant;
beforeEach(async () => {
  own = await app.organization();
});

const call = (name: string, token: string, { body, query }: { body?: object; query?: Record<string, string> } = {}) =>
  app.call(`checkout.${name}`, { params: { token }, body, query, key: '' });

async function page(service = {}) {
  const { token, columns } = newCheckoutToken(testSecrets, own.organizationId);
  const { serviceId, staffIds } = await bookable(app, own, { people: 2, service: { location: '1 Main St', ...service } });
  const orderId = await orderFor(app, own, { status: 'confirmed', tokenHash: columns.checkout_token_hash });
  await book(app, own, orderId, { service_id: serviceId, starts_at: at(3) });
  return { token, orderId, serviceId, staffIds };
}

test('the page shows the order and the booking, and no id or address', async () => {
  const { token, orderId } = await page();
  const { status, body } = await call('get', token);
  expect(status).toBe(200);
  expect(body).toMatchObject({
    status: 'confirmed',
    currency: 'USD',
    currency_digits: 2,
    total_amount: 4500,
    booking: {
      service: 'Haircut',
      with: 'Person 0',
      status: 'confirmed',
      starts_at: at(3),
      location: '1 Main St',
      is_changeable: true,
      changeable_until: at(3),
    },
  });
  expect(JSON.stringify(body)).not.toContain(orderId);
});

test('a token that is unknown, of another organization or of no form is a 404', async () => {
  const { token } = await page();
  const other = await app.organization();
  const same = Buffer.from(token.slice(3), 'base64url');
  const stolen = Buffer.concat([Buffer.from(other.organizationId.replaceAll('-', ''), 'hex'), same.subarray(16)]);
  for (const wrong of [
    newCheckoutToken(testSecrets, own.organizationId).token,
    `co_${stolen.toString('base64url')}`,
    'co_x',
    'x',
  ])
    expect((await call('get', wrong)).status).toBe(404);
});

test('the customer moves the booking to a slot of who does it, and needs no id for it', async () => {
  const { token, orderId, staffIds } = await page();
  const { body: slots } = await call('slots', token, { query: { from: dayOf(3), to: dayOf(3) } });
  expect(slots.items.find(({ starts_at }: Body) => starts_at === at(3, '10:30'))).toEqual({
    starts_at: at(3, '10:30'),
    ends_at: at(3, '11:30'),
    local_start: `${dayOf(3)}T10:30:00+00:00`,
  });
  for (const id of staffIds) expect(JSON.stringify(slots)).not.toContain(id);
  const moved = await call('reschedule', token, { body: { starts_at: at(3, '10:30') } });
  expect(moved.status).toBe(200);
  expect(moved.body.booking).toMatchObject({ starts_at: at(3, '10:30'), with: 'Person 0' });
  const row = await storedBookings.one(app, { order_id: orderId }, ['source']);
  expect(row.source).toBe('customer');
  const refused = await call('reschedule', token, { body: { starts_at: at(3, '10:10') } });
  expect([refused.status, refused.body.error.details[0].field]).toEqual([422, 'starts_at']);
});

test('the customer cancels the booking, and the order stays', async () => {
  const { token, orderId } = await page();
  expect((await call('cancel', token)).body).toMatchObject({
    status: 'confirmed',
    booking: { status: 'cancelled', is_changeable: false },
  });
  expect((await call('cancel', token)).status).toBe(200);
  expect((await call('reschedule', token, { body: { starts_at: at(4) } })).status).toBe(409);
  const events = await storedEvents.all(app, { subject_id: orderId, type: 'commerce.booking.updated' }, { orderBy: 'id' });
  expect(events.at(-1).data).toMatchObject({ status: 'cancelled' });
});

test('within the limit of the service the customer cannot change it any more, but the store can', async () => {
  const { token, orderId } = await page({ cancel_until_minutes: 120 });
  await shiftBooking(app, orderId, '119 minutes');
  expect((await call('get', token)).body.booking.is_changeable).toBe(false);
  for (const reply of [await call('cancel', token), await call('reschedule', token, { body: { starts_at: at(4) } })])
    expect([reply.status, reply.body.error.details[0].code]).toEqual([409, 'booking.late']);
  const cancelled = await app.call('commerce.orders.booking.cancel', { key: own.key, params: { orderID: orderId } });
  expect(bookingOf(cancelled.body).status).toBe('cancelled');
});

test('an order without a booking has a page, and nothing to move', async () => {
  const { token, columns } = newCheckoutToken(testSecrets, own.organizationId);
  await orderFor(app, own, { tokenHash: columns.checkout_token_hash });
  expect((await call('get', token)).body.booking).toBeNull();
  expect((await call('cancel', token)).body.error.code).toBe('booking_required');
});

test("customers take connections of their store's share, so that those of another store do not wait", async () => {
  const [busy, { token }] = [own, await page()];
  own = await app.organization();
  const other = await page();
  const { database, config } = app.web.deps;
  const places = Math.min(config.databasePoolShare, config.databasePoolMax - 1);
  const held = await database.onBehalfOf(busy.organizationId, () =>
    Promise.all(Array.from({ length: places }, () => database.pool.connect())),
  );
  let isOver = false;
  const waiting = call('get', token).finally(() => {
    isOver = true;
  });
  const statuses: number[] = [];
  for (let read = 0; read < 5; read += 1) statuses.push((await call('get', other.token)).status);
  expect(isOver).toBe(false);
  for (const connection of held) connection.release();
  expect(new Set(statuses)).toEqual(new Set([200]));
  expect((await waiting).status).toBe(200);
});
