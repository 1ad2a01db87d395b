import { beforeEach, expect, test } from '@jest/globals';
import { uuidv7 } from '../../../src/platform/ids.ts';
import { type Body, type Tenant, useApp } from '../../support/app.ts';
import { at, book, bookable, orderFor } from '../../support/bookings.ts';
import { definitions } from '../../support/contract.ts';
import { storedConnections } from '../../support/stored/channels.ts';
import { storedStaff } from '../../support/stored/commerce.ts';

const app = useApp();
let own: Tenant;
beforeEach(async () => {
  own = await app.organization();
});

const create = (body: object) => app.call('commerce.staff.create', { key: own.key, body });
const one = (name: string, staffID: string, body?: object) =>
  app.call(`commerce.staff.${name}`, { key: own.key, params: { staffID }, body });

const person = { name: 'Grace', timezone: 'Europe/Berlin' };

/** A row as a connected account leaves it. */
async function connection(kind: 'calendar' | 'video', status = 'connected'): Promise<string> {
  const id = uuidv7();
  await storedConnections.add(app, {
    organization_id: own.organizationId,
    id,
    kind,
    provider: kind === 'calendar' ? 'google' : 'zoom',
    name: 'Account',
    status,
    credentials: 'sealed',
  });
  return id;
}

test('hours and exceptions come back as they were given', async () => {
  const weekly_hours = [
    { weekday: 1, start: '09:00', end: '12:00' },
    { weekday: 1, start: '12:00', end: '24:00' },
    { weekday: 2, start: '00:00', end: '01:30' },
  ];
  const overrides = [{ date: '2028-02-29', ranges: [] }];
  const reply = await create({ ...person, weekly_hours, overrides });
  expect(reply.status).toBe(201);
  expect(reply.body).toEqual({
    id: expect.any(String),
    name: 'Grace',
    email: '',
    timezone: 'Europe/Berlin',
    calendar_connection_id: null,
    calendar_id: null,
    video_connection_id: null,
    weekly_hours,
    overrides,
    reads_busy: false,
    busy_copied_at: null,
    active: true,
    created_at: expect.any(String),
    updated_at: expect.any(String),
  });
  expect((await one('get', reply.body.id)).body).toEqual(reply.body);
  expect((await one('update', reply.body.id, { overrides: [] })).body).toMatchObject({ weekly_hours, overrides: [] });
});

const range = (start: string, end: string, weekday = 1) => ({ weekday, start, end });

test.each([
  [{ timezone: 'UTC' }, 'name'],
  [{ name: 'A' }, 'timezone'],
  [{ ...person, timezone: 'Mars/Base' }, 'timezone'],
  [{ ...person, timezone: '+01:00' }, 'timezone'],
  [{ ...person, email: 'nobody' }, 'email'],
  [{ ...person, weekly_hours: [range('09:00', '25:00')] }, 'weekly_hours[0].end'],
  [{ ...person, weekly_hours: [range('24:00', '24:00')] }, 'weekly_hours[0].start'],
  [{ ...person, weekly_hours: [range('09:00', '09:00')] }, 'weekly_hours[0]'],
  [
    { ...person, weekly_hours: [range('09:00', '12:00'), range('08:00', '10:00', 2), range('11:00', '13:00')] },
    'weekly_hours[2]',
  ],
  [{ ...person, weekly_hours: [range('13:00', '14:00'), range('09:00', '12:00')] }, 'weekly_hours[1]'],
  [{ ...person, weekly_hours: [range('09:00', '12:00', 8)] }, 'weekly_hours[0].weekday'],
  [{ ...person, overrides: [{ date: '2027-02-29', ranges: [] }] }, 'overrides[0].date'],
  [
    {
      ...person,
      overrides: [
        { date: '2027-01-01', ranges: [] },
        { date: '2027-01-01', ranges: [] },
      ],
    },
    'overrides[1].date',
  ],
  [{ ...person, overrides: [{ date: '2027-01-01', ranges: [{ start: '10:00', end: '09:00' }] }] }, 'overrides[0].ranges[0]'],
  [{ ...person, reads_busy: true }, 'reads_busy'],
  [{ ...person, calendar_id: 'team' }, 'calendar_id'],
  [{ ...person, calendar_connection_id: '01932d5f-3a0e-7cc4-8f4e-0242ac120099' }, 'calendar_connection_id'],
])('%j is a 422 at %s', async (body, field) => {
  const reply = await create(body);
  expect(reply.status).toBe(422);
  expect(reply.body.error.details[0].field).toBe(field);
});

test('a calendar account has to be one, and connected', async () => {
  const [calendar, video, broken] = [
    await connection('calendar'),
    await connection('video'),
    await connection('calendar', 'auth_error'),
  ];
  const made = await create({ ...person, calendar_connection_id: calendar, video_connection_id: video, reads_busy: true });
  expect(made.body).toMatchObject({ calendar_connection_id: calendar, calendar_id: 'primary', video_connection_id: video });
  expect((await create({ ...person, calendar_connection_id: video })).status).toBe(422);
  expect((await create({ ...person, video_connection_id: calendar })).status).toBe(422);
  const refused = await create({ ...person, calendar_connection_id: broken });
  expect([refused.status, refused.body.error.code]).toEqual([409, 'connection_unavailable']);
  const without = await one('update', made.body.id, { calendar_connection_id: null, calendar_id: null, reads_busy: false });
  expect(without.body).toMatchObject({ calendar_connection_id: null, calendar_id: null, video_connection_id: video });
});

test('who was booked is not deleted; set inactive they cannot be booked any more', async () => {
  const { serviceId, staffIds } = await bookable(app, own, { people: 2 });
  const [first, second] = staffIds as [string, string];
  const orderId = await orderFor(app, own);
  await book(app, own, orderId, { service_id: serviceId, staff_id: first, starts_at: at(2) });
  expect((await one('delete', first)).status).toBe(409);
  expect((await one('update', first, { active: false })).body.active).toBe(false);
  const refused = await book(app, own, await orderFor(app, own), { service_id: serviceId, staff_id: first, starts_at: at(3) });
  expect([refused.status, refused.body.error.details[0].field]).toEqual([422, 'staff_id']);
  expect((await one('delete', second)).status).toBe(204);
  const { items } = (await app.call('commerce.staff.list', { key: own.key })).body;
  expect(items.map(({ id }: Body) => id)).toEqual([first]);
});

test('a page of people with very many exceptions ends at 2 MiB, and the next one goes on', async () => {
  const ranges = Array.from({ length: 7 }, (_, hour) => ({ start: `0${hour}:00`, end: `0${hour}:30` }));
  const dateOf = (day: number) => new Date(Date.UTC(2030, 0, 1 + day)).toISOString().slice(0, 10);
  const overrides = Array.from({ length: 400 }, (_, day) => ({ date: dateOf(day), ranges }));
  await storedStaff.addMany(app, 30, (n) => ({ organization_id: own.organizationId, name: `S${n}`, timezone: 'UTC', overrides }));
  const names: string[] = [];
  let pages = 0;
  let cursor: string | undefined;
  do {
    const query = { limit: '100', include_total: 'true', ...(cursor && { cursor }) };
    const { items, meta } = (await app.call('commerce.staff.list', { key: own.key, query })).body;
    expect([meta.total, meta.has_more]).toEqual([30, meta.next_cursor !== undefined]);
    expect(JSON.stringify(items).length).toBeLessThan(2 * 1024 * 1024);
    names.push(...items.map(({ name }: Body) => name));
    pages++;
    cursor = meta.next_cursor;
  } while (cursor);
  expect(pages).toBeGreaterThan(1);
  expect(names).toEqual(Array.from({ length: 30 }, (_, n) => `S${30 - n}`));
});

test('a day tells the first fault of its ranges: thousands of empty ones are no thousands of faults', () => {
  const { body: schema } = definitions.find(({ operationId }) => operationId === 'commerce.staff.create')!;
  const overrides = Array.from({ length: 400 }, () => ({ date: '2027-01-01', ranges: Array(20).fill({}) }));
  const { error } = schema!.validate({ ...person, overrides }, { abortEarly: false });
  expect(error!.details).toHaveLength(400);
});
