import { beforeEach, expect, test } from '@jest/globals';
import { type Body, type Tenant, useApp } from '../../support/app.ts';

const app = useApp();
let tenant: Tenant;

beforeEach(async () => {
  tenant = await app.organization();
});

const get = () => app.call('commerce.settings.get', { key: tenant.key });
const patch = (body: object) => app.call('commerce.settings.update', { key: tenant.key, body });

test('an organization that has set nothing has the defaults', async () => {
  expect(await get()).toMatchObject({
    status: 200,
    body: {
      currency: 'USD',
      timezone: 'UTC',
      reservation_minutes: 30,
      confirm_on: 'payment',
      order_no_prefix: '',
      shipping_origin: null,
    },
  });
});

test('what is given changes, what is not stays, and nothing of another organization', async () => {
  const origin = { contact_name: 'Ani', contact_phone: '+628123456789', address: 'Jl. Merdeka 1', area_id: 'IDNP6IDNC148' };
  const first = await patch({ store_name: 'Soaps', currency: 'IDR', timezone: 'Asia/Jakarta', shipping_origin: origin });
  expect(first.body).toMatchObject({ store_name: 'Soaps', currency: 'IDR', timezone: 'Asia/Jakarta', shipping_origin: origin });
  const second = await patch({ order_no_prefix: 'SOAP-', confirm_on: 'manual', reservation_minutes: 60 });
  expect(second.body).toEqual({ ...first.body, order_no_prefix: 'SOAP-', confirm_on: 'manual', reservation_minutes: 60 });
  expect((await get()).body).toEqual(second.body);
  expect((await patch({ shipping_origin: null })).body.shipping_origin).toBeNull();
  tenant = await app.organization();
  expect((await get()).body.store_name).toBe('');
});

test.each([
  ['a currency that is none', { currency: 'XXX' }, 'currency'],
  ['a zone that is none', { timezone: 'Mars/Olympus' }, 'timezone'],
  ['an offset for a zone', { timezone: '+07:00' }, 'timezone'],
  ['no reservation', { reservation_minutes: 0 }, 'reservation_minutes'],
  ['a prefix with a blank', { order_no_prefix: 'A B' }, 'order_no_prefix'],
  ['a prefix that ends in a digit', { order_no_prefix: 'A-1' }, 'order_no_prefix'],
  ['a slug with capitals', { store_slug: 'Soap' }, 'store_slug'],
  ['another way to confirm', { confirm_on: 'luck' }, 'confirm_on'],
])('%s: 422 at its field', async (_, given, field) => {
  const { status, body } = await patch(given);
  expect([status, body.error.details.map((one: Body) => one.field)]).toEqual([422, [field]]);
});
