import { beforeEach, expect, test } from '@jest/globals';
import { type Body, type Tenant, useApp } from '../../support/app.ts';
import { storedDiscounts } from '../../support/stored/commerce.ts';

const app = useApp();
let tenant: Tenant;

beforeEach(async () => {
  tenant = await app.organization();
});

const create = (body: object) => app.call('commerce.discounts.create', { key: tenant.key, body });
const patch = (discountID: string, body: object) =>
  app.call('commerce.discounts.update', { key: tenant.key, params: { discountID }, body });
const percent = { code: 'Spring', kind: 'percent', value: 1_000 };

test('made, read, listed, changed and deleted', async () => {
  const { status, body } = await create({ ...percent, ends_at: '2027-01-01', max_uses: 5 });
  expect(status).toBe(201);
  expect(body).toMatchObject({
    ...percent,
    currency: null,
    starts_at: null,
    ends_at: '2027-01-01T23:59:59.999Z',
    max_uses: 5,
    uses: 0,
  });
  const params = { discountID: body.id };
  expect((await app.call('commerce.discounts.get', { key: tenant.key, params })).body).toEqual(body);
  expect((await app.call('commerce.discounts.list', { key: tenant.key })).body.items).toEqual([body]);
  const changed = await patch(body.id, { kind: 'fixed', value: 500, currency: 'USD', ends_at: null });
  expect(changed.body).toMatchObject({ kind: 'fixed', value: 500, currency: 'USD', ends_at: null, max_uses: 5 });
  const remove = () => app.call('commerce.discounts.delete', { key: tenant.key, params });
  expect([(await remove()).status, (await remove()).status]).toEqual([204, 404]);
});

test('a new currency needs each amount that is stored', async () => {
  const { body } = await create({ code: 'Five', kind: 'fixed', value: 500, currency: 'USD', min_subtotal: 1_000 });
  const refusedAt = async (change: object) => (await patch(body.id, change)).body.error.details[0].field;
  expect(await refusedAt({ currency: 'JPY' })).toBe('value');
  expect(await refusedAt({ currency: 'JPY', value: 700 })).toBe('min_subtotal');
  const changed = await patch(body.id, { currency: 'JPY', value: 700, min_subtotal: 1_500 });
  expect(changed.body).toMatchObject({ currency: 'JPY', value: 700, min_subtotal: 1_500 });
});

test.each([
  ['no percentage', { ...percent, value: 0 }, 'value'],
  ['more than all', { ...percent, value: 10_001 }, 'value'],
  ['a fixed one without currency', { code: 'A', kind: 'fixed', value: 5 }, 'currency'],
  ['half a rupiah', { code: 'A', kind: 'fixed', value: 50, currency: 'IDR' }, 'value'],
  ['a minimum without currency', { ...percent, min_subtotal: 5 }, 'currency'],
  ['a minimum of half a rupiah', { ...percent, currency: 'IDR', min_subtotal: 50 }, 'min_subtotal'],
  ['free delivery with a value', { code: 'A', kind: 'free_delivery', value: 1 }, 'value'],
  ['an end before its start', { ...percent, starts_at: '2027-02-01', ends_at: '2027-01-01' }, 'ends_at'],
  [
    'an end before its start in a zone of hours',
    { ...percent, starts_at: '2027-02-01T00:00:00+02', ends_at: '2027-02-01T00:00:00+03' },
    'ends_at',
  ],
  ['a code with a blank', { ...percent, code: 'a b' }, 'code'],
  ['no uses', { ...percent, max_uses: 0 }, 'max_uses'],
])('%s: 422 at its field, and nothing is stored', async (_, given, field) => {
  const { status, body } = await create(given);
  expect([status, body.error.details.map((one: Body) => one.field)]).toEqual([422, [field]]);
  expect(await storedDiscounts.count(app, { organization_id: tenant.organizationId })).toBe(0);
});

test('a code is unique in any case; fewer uses than there were is a 409', async () => {
  const { body } = await create(percent);
  expect(await create({ ...percent, code: 'SPRING' })).toMatchObject({
    status: 409,
    body: { error: { details: [{ field: 'code' }] } },
  });
  await storedDiscounts.change(app, body.id, { uses: 3 });
  expect(await patch(body.id, { max_uses: 2 })).toMatchObject({
    status: 409,
    body: { error: { details: [{ field: 'max_uses', value: '3' }] } },
  });
  expect((await patch(body.id, { max_uses: 3 })).body).toMatchObject({ max_uses: 3, uses: 3 });
});
