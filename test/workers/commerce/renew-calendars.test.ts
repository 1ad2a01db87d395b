import { expect, test } from '@jest/globals';
import { useApp } from '../../support/app.ts';
import {
  bookingMade,
  calendarOf,
  cancelled,
  changed,
  connectionMade,
  liveEventsOf,
  moved,
  type Staff,
  serviceMade,
  staffMade,
  unpaced,
} from '../../support/calendar.ts';

const app = useApp({ workers: true });

const patch = async ({ id: staffID }: Staff, body: object) => {
  const reply = await app.call('commerce.staff.update', { key: app.tenant.key, params: { staffID }, body });
  expect(reply.status).toBe(200);
  await app.idle();
};
const calendarIdsOf = async (booked: Parameters<typeof liveEventsOf>[1]) =>
  (await liveEventsOf(app, booked)).map(({ calendar_id }) => calendar_id);

test('bookings to come move to the new calendar, past and cancelled ones stay', async () => {
  const staff = await staffMade(app);
  const service = await serviceMade(app);
  const live = [await bookingMade(app, staff, service), await bookingMade(app, staff, service)];
  const [past, ended] = [await bookingMade(app, staff, service), await bookingMade(app, staff, service)];
  for (const booked of [...live, ended]) await changed(app, booked);
  await moved(app, past, new Date(Date.now() - 2 * 3_600_000).toISOString());
  await app.idle();
  await cancelled(app, ended);
  await app.idle();
  for (const booked of [...live, past]) expect(await calendarIdsOf(booked)).toEqual([staff.account]);
  const wantedBefore = (await calendarOf(app, ended)).wanted;

  const other = await connectionMade(app, 'calendar');
  await unpaced(app, other.id);
  await patch(staff, { calendar_connection_id: other.id });
  for (const booked of live) {
    expect(await calendarIdsOf(booked)).toEqual([other.account]);
    expect(await calendarOf(app, booked)).toMatchObject({ status: 'synced', connection_id: other.id, earlier: [] });
  }
  expect(await calendarIdsOf(past)).toEqual([staff.account]);
  expect((await calendarOf(app, ended)).wanted).toBe(wantedBefore);

  await patch(staff, { calendar_id: `team.${other.account}` });
  for (const booked of live) expect(await calendarIdsOf(booked)).toEqual([`team.${other.account}`]);

  await patch(staff, { calendar_connection_id: null, calendar_id: null });
  for (const booked of live) expect(await calendarIdsOf(booked)).toEqual([]);
});

test('a change of something else wishes nothing', async () => {
  const staff = await staffMade(app);
  const booked = await bookingMade(app, staff, await serviceMade(app));
  await changed(app, booked);
  await app.idle();
  const { wanted } = await calendarOf(app, booked);
  await patch(staff, { name: 'Ade', timezone: 'Asia/Makassar' });
  expect((await calendarOf(app, booked)).wanted).toBe(wanted);
});

test('a service with another name, place or conference: the entries of its bookings to come are written anew', async () => {
  const staff = await staffMade(app);
  const serviceID = await serviceMade(app);
  const booked = await bookingMade(app, staff, serviceID);
  const other = await bookingMade(app, staff, await serviceMade(app));
  for (const one of [booked, other]) await changed(app, one);
  await app.idle();
  const { wanted } = await calendarOf(app, other);

  const change = async (body: object) => {
    expect((await app.call('commerce.services.update', { key: app.tenant.key, params: { serviceID }, body })).status).toBe(200);
    await app.idle();
  };
  await change({ name: 'Shiatsu', location: 'Room 7', conference: 'calendar' });
  const [event] = await liveEventsOf(app, booked);
  expect(event).toMatchObject({ summary: 'Shiatsu: Budi', location: 'Room 7', hangoutLink: expect.stringMatching(/^https:/) });
  expect(await calendarOf(app, booked)).toMatchObject({ status: 'synced', error: '', meet_url: event!.hangoutLink });
  expect((await calendarOf(app, other)).wanted).toBe(wanted);

  const { wanted: before } = await calendarOf(app, booked);
  await change({ lead_minutes: 30, name: 'Shiatsu' });
  expect((await calendarOf(app, booked)).wanted).toBe(before);
});
