import { beforeEach, expect, test } from '@jest/globals';
import { type Body, type Tenant, useApp } from '../../support/app.ts';
import { at, book, bookable, orderFor } from '../../support/bookings.ts';

const app = useApp();
let own: Tenant;
beforeEach(async () => {
  own = await app.organization();
});

const create = (body: object) => app.call('commerce.services.create', { key: own.key, body });
const one = (name: string, serviceID: string, body?: object, key = own.key) =>
  app.call(`commerce.services.${name}`, { key, params: { serviceID }, body });

test('a service has the defaults of what is not given', async () => {
  const reply = await create({ name: ' Haircut ', duration_minutes: 45 });
  expect(reply.status).toBe(201);
  expect(reply.body).toEqual({
    id: expect.any(String),
    name: 'Haircut',
    duration_minutes: 45,
    buffer_before: 0,
    buffer_after: 0,
    step_minutes: 30,
    lead_minutes: 0,
    horizon_days: 60,
    cancel_until_minutes: 0,
    staff_ids: [],
    conference: 'none',
    location: '',
    active: true,
    created_at: expect.any(String),
    updated_at: expect.any(String),
  });
  expect(reply.headers.get('location')).toBe(`/v1/commerce/services/${reply.body.id}`);
  expect((await one('get', reply.body.id)).body).toEqual(reply.body);
});

test('a change keeps what is not given, and the order of the staff is the one given', async () => {
  const { serviceId, staffIds } = await bookable(app, own, { people: 3 });
  const reversed = [...staffIds].reverse();
  const { body } = await one('update', serviceId, { staff_ids: reversed, buffer_after: 15 });
  expect(body).toMatchObject({ name: 'Haircut', duration_minutes: 60, buffer_after: 15, staff_ids: reversed });
  expect((await one('update', serviceId, { name: 'Cut' })).body.staff_ids).toEqual(reversed);
  const { items } = (await app.call('commerce.services.list', { key: own.key })).body;
  expect(items.map(({ id }: Body) => id)).toEqual([serviceId]);
});

test.each([
  [{ duration_minutes: 60 }, 'name'],
  [{ name: 'A' }, 'duration_minutes'],
  [{ name: '  ', duration_minutes: 60 }, 'name'],
  [{ name: 'A', duration_minutes: 0 }, 'duration_minutes'],
  [{ name: 'A', duration_minutes: 1.5 }, 'duration_minutes'],
  [{ name: 'A', duration_minutes: 60, buffer_before: -1 }, 'buffer_before'],
  [{ name: 'A', duration_minutes: 60, step_minutes: 1 }, 'step_minutes'],
  [{ name: 'A', duration_minutes: 60, horizon_days: 0 }, 'horizon_days'],
  [{ name: 'A', duration_minutes: 60, conference: 'phone' }, 'conference'],
  [{ name: 'A', duration_minutes: 60, staff_ids: ['01932d5f-3a0e-7cc4-8f4e-0242ac120099'] }, 'staff_ids[0]'],
])('%j is a 422 at %s', async (body, field) => {
  const reply = await create(body);
  expect(reply.status).toBe(422);
  expect(reply.body.error.details[0].field).toBe(field);
  expect((await app.call('commerce.services.list', { key: own.key })).body.items).toEqual([]);
});

test('the staff of another organization is nobody', async () => {
  const { staffIds } = await bookable(app, await app.organization());
  const reply = await create({ name: 'A', duration_minutes: 60, staff_ids: staffIds });
  expect([reply.status, reply.body.error.details[0].field]).toEqual([422, 'staff_ids[0]']);
});

test('a service that was booked is not deleted; one that never was, is', async () => {
  const { serviceId } = await bookable(app, own);
  const { serviceId: other } = await bookable(app, own);
  const orderId = await orderFor(app, own);
  expect((await book(app, own, orderId, { service_id: serviceId, starts_at: at(2) })).status).toBe(201);
  expect((await one('delete', serviceId)).status).toBe(409);
  expect((await one('get', serviceId)).status).toBe(200);
  expect((await one('delete', other)).status).toBe(204);
  expect((await one('get', other)).status).toBe(404);
});
