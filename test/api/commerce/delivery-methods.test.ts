import { beforeEach, expect, test } from '@jest/globals';
import { uuidv7 } from '../../../src/platform/ids.ts';
import { type Body, type Tenant, useApp } from '../../support/app.ts';
import { connectShipper } from '../../support/shipping.ts';
import { storedDeliveryMethods, storedSlotUsage } from '../../support/stored/commerce.ts';

const app = useApp();
let tenant: Tenant;

beforeEach(async () => {
  tenant = await app.organization();
});

const create = (body: object) => app.call('commerce.delivery-methods.create', { key: tenant.key, body });
const patch = (methodID: string, body: object) =>
  app.call('commerce.delivery-methods.update', { key: tenant.key, params: { methodID }, body });
const slotsOf = async (methodID: string, date: string) =>
  (await app.call('commerce.delivery-methods.timeslots', { key: tenant.key, params: { methodID }, query: { date } })).body.items;
const everyDay = [1, 2, 3, 4, 5, 6, 7];
const courier = {
  name: 'Our courier',
  kind: 'flat',
  currency: 'IDR',
  fee_amount: 1_500_000,
  timeslots: [
    { label: 'morning', weekdays: everyDay, capacity: 2 },
    { label: 'evening', weekdays: [1] },
  ],
};

test('made, read, listed, changed and deleted', async () => {
  const { status, body } = await create(courier);
  expect(status).toBe(201);
  expect(body).toMatchObject({ ...courier, free_from_amount: null, lead_days: 0, active: true, connection_id: null });
  const params = { methodID: body.id };
  expect((await app.call('commerce.delivery-methods.get', { key: tenant.key, params })).body).toEqual(body);
  expect((await app.call('commerce.delivery-methods.list', { key: tenant.key })).body.items).toEqual([body]);
  const changed = await patch(body.id, { free_from_amount: 50_000_000, lead_days: 1 });
  expect(changed.body).toEqual({ ...body, free_from_amount: 50_000_000, lead_days: 1, updated_at: changed.body.updated_at });
  const remove = () => app.call('commerce.delivery-methods.delete', { key: tenant.key, params });
  expect([(await remove()).status, (await remove()).status]).toEqual([204, 404]);
});

test('time slots given with their id keep what is used, labels may swap, those left out go', async () => {
  const { body } = await create(courier);
  const [morning, evening] = body.timeslots;
  await storedSlotUsage.add(app, { organization_id: tenant.organizationId, timeslot_id: morning.id, day: '2099-03-02', used: 2 });
  const swapped = [
    { ...evening, label: 'morning' },
    { ...morning, label: 'evening' },
  ];
  expect((await patch(body.id, { timeslots: swapped })).body.timeslots).toEqual(swapped);
  expect(await slotsOf(body.id, '2099-03-02')).toEqual([
    { id: evening.id, label: 'morning', capacity: null, used: 0, available: null, is_open: true },
    { id: morning.id, label: 'evening', capacity: 2, used: 2, available: 0, is_open: false },
  ]);
  const fewer = await patch(body.id, { timeslots: [{ ...morning, capacity: 3 }] });
  expect(fewer.body.timeslots).toEqual([{ ...morning, capacity: 3 }]);
  expect(await slotsOf(body.id, '2099-03-02')).toMatchObject([{ id: morning.id, used: 2, available: 1, is_open: true }]);
});

test("a day before the lead of the store's zone is not open, nor one without the weekday shown", async () => {
  await app.call('commerce.settings.update', { key: tenant.key, body: { timezone: 'Pacific/Kiritimati' } });
  const { body } = await create({ ...courier, lead_days: 2 });
  const { today } = await app.one(`select (statement_timestamp() at time zone 'Pacific/Kiritimati')::date::text as today`);
  const day = (days: number) => new Date(Date.parse(today) + days * 86_400_000).toISOString().slice(0, 10);
  const isOpen = async (date: string) => (await slotsOf(body.id, date)).find(({ label }: Body) => label === 'morning').is_open;
  expect(await Promise.all([-1, 0, 1, 2, 3].map((days) => isOpen(day(days))))).toEqual([false, false, false, true, true]);
  expect((await slotsOf(body.id, '2099-03-03')).map(({ label }: Body) => label)).toEqual(['morning']);
});

test('a new currency needs the fee that is stored', async () => {
  const { body } = await create({ name: 'Van', kind: 'flat', currency: 'USD', fee_amount: 500 });
  const refused = await patch(body.id, { currency: 'JPY' });
  expect(refused.body.error.details[0].field).toBe('fee_amount');
  const changed = await patch(body.id, { currency: 'JPY', fee_amount: 700 });
  expect(changed.body).toMatchObject({ currency: 'JPY', fee_amount: 700 });
});

test.each([
  ['a fee without currency', { currency: null }, 'currency'],
  ['a fee of half a rupiah', { fee_amount: 150 }, 'fee_amount'],
  ['a bound of half a rupiah', { free_from_amount: 150 }, 'free_from_amount'],
  ['a live method with a fee', { kind: 'live' }, 'fee_amount'],
  ['a shipper of a flat one', { connection_id: uuidv7() }, 'connection_id'],
  ['an unknown shipper', { kind: 'live', fee_amount: 0, connection_id: uuidv7() }, 'connection_id'],
  ['an unknown time slot', { timeslots: [{ id: uuidv7(), label: 'a', weekdays: [1] }] }, 'timeslots[0].id'],
  [
    'a label twice',
    {
      timeslots: [
        { label: 'a', weekdays: [1] },
        { label: 'a', weekdays: [2] },
      ],
    },
    'timeslots[1].label',
  ],
  ['an eighth weekday', { timeslots: [{ label: 'a', weekdays: [8] }] }, 'timeslots[0].weekdays[0]'],
  ['a slot for nobody', { timeslots: [{ label: 'a', weekdays: [1], capacity: 0 }] }, 'timeslots[0].capacity'],
])('%s: 422 at its field, and nothing is stored', async (_, more, field) => {
  const { status, body } = await create({ ...courier, ...more });
  expect([status, body.error.details.map((one: Body) => one.field)]).toEqual([422, [field]]);
  expect(await storedDeliveryMethods.count(app, { organization_id: tenant.organizationId })).toBe(0);
});

test.each(['2027-02-29', '2027-13-01', 'tomorrow', ''])('%j is no day: 422', async (date) => {
  const { body } = await create(courier);
  const params = { methodID: body.id };
  const reply = await app.call('commerce.delivery-methods.timeslots', { key: tenant.key, params, query: { date } });
  expect([reply.status, reply.body.error.details[0].field]).toEqual([422, 'date']);
});

test('a shipper that was deleted is none, and a method that has it goes on', async () => {
  const { id } = await connectShipper(app, { tenant });
  const live = { name: 'Live', kind: 'live', connection_id: id };
  const { body } = await create(live);
  await app.call('connections.delete', { key: tenant.key, params: { connectionID: id } });
  const refused = await create(live);
  expect([refused.status, refused.body.error.details[0].field]).toEqual([422, 'connection_id']);
  const changed = await patch(body.id, { name: 'Later' });
  expect([changed.status, changed.body.name]).toEqual([200, 'Later']);
});
