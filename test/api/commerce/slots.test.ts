import { beforeEach, expect, test } from '@jest/globals';
import { type Body, type Tenant, useApp } from '../../support/app.ts';
import { at, book, bookable, dayOf, orderFor } from '../../support/bookings.ts';

const app = useApp();
let own: Tenant;
beforeEach(async () => {
  own = await app.organization();
});

const slots = (serviceID: string, query: object) =>
  app.call('commerce.services.slots', { key: own.key, params: { serviceID }, query: query as Record<string, string> });
const ofDay = async (serviceId: string, days: number, more = {}) =>
  (await slots(serviceId, { from: dayOf(days), to: dayOf(days), ...more })).body;
const starts = ({ items }: Body) => items.map(({ starts_at }: Body) => starts_at.slice(11, 16));

test('the starts of a day, with who is free, without what is booked', async () => {
  const { serviceId, staffIds } = await bookable(app, own, { people: 2, service: { step_minutes: 60, buffer_after: 30 } });
  const [first, second] = staffIds as [string, string];
  const before = await ofDay(serviceId, 2);
  expect(before.timezone).toBe('UTC');
  expect(starts(before)).toEqual(['09:00', '10:00', '11:00', '12:00', '13:00', '14:00', '15:00', '16:00']);
  expect(before.items[0]).toEqual({
    starts_at: at(2, '09:00'),
    ends_at: at(2, '10:00'),
    local_start: `${dayOf(2)}T09:00:00+00:00`,
    staff_ids: [first, second],
  });
  const body = { service_id: serviceId, staff_id: first, starts_at: at(2, '12:00') };
  expect((await book(app, own, await orderFor(app, own), body)).status).toBe(201);
  const after = await ofDay(serviceId, 2);
  const free = Object.fromEntries(after.items.map(({ starts_at, staff_ids }: Body) => [starts_at.slice(11, 13), staff_ids]));
  expect(free['11']).toEqual([second]);
  expect(free['12']).toEqual([second]);
  expect(free['13']).toEqual([second]);
  expect(free['10']).toEqual([first, second]);
  expect(starts(await ofDay(serviceId, 2, { staff_id: first }))).toEqual(['09:00', '10:00', '14:00', '15:00', '16:00']);
});

test("an exception holds on its day, by the staff member's own clock, among hundreds of other days", async () => {
  const evening = [{ start: '18:00', end: '20:00' }];
  const others = Array.from({ length: 390 }, (_, index) => ({ date: dayOf(40 + index), ranges: [] }));
  const overrides = [...others, { date: dayOf(2), ranges: evening }];
  const { serviceId } = await bookable(app, own, { staff: { timezone: 'Pacific/Kiritimati', overrides } });
  const query = { timezone: 'Pacific/Pago_Pago', from: dayOf(1), to: dayOf(1) };
  // 18:00 on the one island is 17:00 of the day before on the other, 25 hours behind.
  expect((await slots(serviceId, query)).body.items.map(({ local_start }: Body) => local_start.slice(0, 16))).toEqual([
    `${dayOf(1)}T17:00`,
    `${dayOf(1)}T17:30`,
    `${dayOf(1)}T18:00`,
  ]);
  const starts_at = `${dayOf(2)}T04:00:00.000Z`;
  expect((await book(app, own, await orderFor(app, own), { service_id: serviceId, starts_at })).status).toBe(201);
});

test('every slot can be booked, and nothing between them', async () => {
  const { serviceId } = await bookable(app, own, { service: { step_minutes: 120 } });
  const { items } = await ofDay(serviceId, 3);
  for (const { starts_at } of items) {
    const reply = await book(app, own, await orderFor(app, own), { service_id: serviceId, starts_at });
    expect(reply.status).toBe(201);
  }
  expect((await ofDay(serviceId, 3)).items).toEqual([]);
});

test('what a calendar shows as busy is no slot', async () => {
  const { serviceId, staffIds } = await bookable(app, own);
  await app.rows(`insert into staff_busy (organization_id, staff_id, during) values ($1, $2, tstzrange($3, $4))`, [
    own.organizationId,
    staffIds[0],
    at(2, '09:15'),
    at(2, '15:45'),
  ]);
  expect(starts(await ofDay(serviceId, 2))).toEqual(['16:00']);
  const refused = await book(app, own, await orderFor(app, own), { service_id: serviceId, starts_at: at(2, '12:00') });
  expect([refused.status, refused.body.error.code]).toEqual([409, 'slot_taken']);
});

test('lead and horizon bound them', async () => {
  const { serviceId } = await bookable(app, own, { service: { lead_minutes: 2 * 1_440, horizon_days: 4 } });
  expect((await ofDay(serviceId, 1)).items).toEqual([]);
  expect((await ofDay(serviceId, 3)).items).not.toEqual([]);
  expect((await ofDay(serviceId, 6)).items).toEqual([]);
});

test('the rest of this day is free, and of the horizon its last day as far as it goes', async () => {
  const { serviceId } = await bookable(app, own, { service: { horizon_days: 3 } });
  const { status, body } = await slots(serviceId, { from: dayOf(0), to: dayOf(10) });
  expect(status).toBe(200);
  const times = body.items.map(({ starts_at }: Body) => Date.parse(starts_at));
  expect(Math.min(...times)).toBeGreaterThan(Date.now());
  expect(Math.max(...times)).toBeLessThan(Date.now() + 3 * 86_400_000);
  expect(new Set(times.map((time: number) => new Date(time).toISOString().slice(0, 10)))).toContain(dayOf(1));
});

test('the days are those of the zone that is asked for', async () => {
  const { serviceId } = await bookable(app, own);
  const { timezone, items } = await ofDay(serviceId, 3, { timezone: 'Pacific/Auckland' });
  expect(timezone).toBe('Pacific/Auckland');
  expect(items.length).toBeGreaterThan(0);
  expect(items.every(({ local_start }: Body) => local_start.startsWith(dayOf(3)))).toBe(true);
  expect(items.some(({ starts_at }: Body) => starts_at.startsWith(dayOf(2)))).toBe(true);
});

test.each([
  [{ from: '2027-02-29', to: '2027-03-01' }, 'from'],
  [{ from: '2027-03-02', to: '2027-03-01' }, 'to'],
  [{ from: '2027-03-01', to: '2027-04-01' }, 'to'],
  [{ from: '2027-03-01' }, 'to'],
  [{ from: '2027-03-01', to: '2027-03-02', timezone: 'Mars/Base' }, 'timezone'],
  [{ from: '2027-03-01', to: '2027-03-02', staff_id: '01932d5f-3a0e-7cc4-8f4e-0242ac120099' }, 'staff_id'],
])('%j is a 422 at %s', async (query, field) => {
  const { serviceId } = await bookable(app, own);
  const reply = await slots(serviceId, query);
  expect([reply.status, reply.body.error.details[0].field]).toEqual([422, field]);
});

test('31 days are answered; a service that is not active has none', async () => {
  const { serviceId } = await bookable(app, own);
  expect((await slots(serviceId, { from: '2027-03-01', to: '2027-03-31' })).status).toBe(200);
  await app.call('commerce.services.update', { key: own.key, params: { serviceID: serviceId }, body: { active: false } });
  expect((await slots(serviceId, { from: '2027-03-01', to: '2027-03-31' })).status).toBe(404);
});

test('a month of many starts comes in whole days, and `next_from` says where to go on', async () => {
  const hours = [1, 2, 3, 4, 5, 6, 7].map((weekday) => ({ weekday, start: '00:00', end: '24:00' }));
  const service = { duration_minutes: 5, step_minutes: 5, horizon_days: 60 };
  const { serviceId } = await bookable(app, own, { service, staff: { weekly_hours: hours } });
  const { body } = await slots(serviceId, { from: dayOf(1), to: dayOf(30) });
  expect(body.items).toHaveLength(6 * 288);
  expect(body.next_from).toBe(dayOf(7));
  const next = await slots(serviceId, { from: body.next_from, to: dayOf(8) });
  expect(next.body.items[0].starts_at).toBe(at(7, '00:00'));
  expect(next.body.next_from).toBeNull();
});

test('one search of an organization is computed at a time, and another organization does not wait for it', async () => {
  const { serviceId } = await bookable(app, own);
  const other = await app.organization();
  const others = await bookable(app, other);
  let letGo: () => void = () => undefined;
  const held = app.web.deps.reads.inPlace(`slots:${own.organizationId}`, () => new Promise<void>((done) => (letGo = done)));
  let isOver = false;
  const waiting = slots(serviceId, { from: dayOf(1), to: dayOf(1) }).finally(() => {
    isOver = true;
  });
  const query = { from: dayOf(1), to: dayOf(1) };
  for (let read = 0; read < 5; read += 1) {
    const free = await app.call('commerce.services.slots', { key: other.key, params: { serviceID: others.serviceId }, query });
    expect(free.status).toBe(200);
  }
  expect(isOver).toBe(false);
  letGo();
  await held;
  expect((await waiting).status).toBe(200);
});
