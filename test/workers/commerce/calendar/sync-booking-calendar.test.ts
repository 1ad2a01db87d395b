import { beforeEach, expect, test } from '@jest/globals';
import { eventIdOf } from '../../../../src/commerce/calendar/event-id.ts';
import { checkJobs } from '../../../../src/platform/ledger/check.ts';
import { useApp } from '../../../support/app.ts';
import {
  assigned,
  bookingMade,
  calendarOf,
  cancelled,
  changed,
  eventsOf,
  hour,
  liveEventsOf,
  moved,
  serviceMade,
  staffMade,
} from '../../../support/calendar.ts';
import { contact } from '../../../support/factories/contact.ts';
import { waitFor } from '../../../support/wait-for.ts';
import { bookingCalendarRows, bookingRows, orderRows } from '../../../support/work/commerce.ts';
import { erasureRows } from '../../../support/work/contacts.ts';
import { poolRows, redispatchNow, requeue } from '../../../support/work/jobs.ts';
import { ago, ahead } from '../../../support/work/rows.ts';

const app = useApp({ workers: true });

beforeEach(async () => {
  await app.control('POST', '/behaviour', { conference: 'success', conference_delay_ms: 0 });
});

const synced = async (conference: 'none' | 'calendar' | 'video' = 'none', options: Parameters<typeof staffMade>[1] = {}) => {
  const staff = await staffMade(app, options);
  const booked = await bookingMade(app, staff, await serviceMade(app, conference));
  await changed(app, booked);
  await app.idle();
  return { staff, booked };
};

test('a confirmed booking stands in the calendar, with its times, its mark and nobody as a guest', async () => {
  const { staff, booked } = await synced();
  const [event, ...more] = await eventsOf(app, booked);
  expect(more).toEqual([]);
  const { starts_at, ends_at } = await bookingRows.one(app, booked.bookingId);
  expect(event).toMatchObject({ status: 'confirmed', summary: 'Massage: Budi', location: 'Room 2', calendar_id: staff.account });
  expect(Date.parse(event.start.dateTime)).toBe(Date.parse(starts_at));
  expect(Date.parse(event.end.dateTime)).toBe(Date.parse(ends_at));
  expect(event.start.timeZone).toBe('Asia/Jakarta');
  expect(event.attendees).toBeUndefined();
  expect(event.id).toBe(eventIdOf(app.tenant.organizationId, booked.bookingId, 0));
  expect(event.id).toMatch(/^[a-v0-9]{52}$/);
  const row = await calendarOf(app, booked);
  expect(row).toMatchObject({ status: 'synced', error: '', wanted: 1, synced: 1, event_id: event.id, etag: event.etag });
  expect(row.event_url).toBe(event.htmlLink);
  expect(row.last_synced_at).not.toBeNull();
});

test('a moved booking is moved, a cancelled one deleted, and one that stands again gets another event', async () => {
  const { booked } = await synced();
  await moved(app, booked, hour(90_000));
  await app.idle();
  expect(await liveEventsOf(app, booked)).toMatchObject([{ start: { dateTime: hour(90_000) }, sequence: 1 }]);
  await cancelled(app, booked);
  await app.idle();
  expect(await liveEventsOf(app, booked)).toEqual([]);
  expect(await calendarOf(app, booked)).toMatchObject({ status: 'synced', event_id: null, event_url: '', generation: 1 });
  await changed(app, booked, `status = 'confirmed'`);
  await app.idle();
  expect(await liveEventsOf(app, booked)).toHaveLength(1);
  expect(await calendarOf(app, booked)).toMatchObject({ status: 'synced', generation: 1, error: '' });
});

test('another staff member: the event leaves one calendar for the other', async () => {
  const { booked } = await synced();
  const other = await staffMade(app, { calendarId: 'primary' });
  await assigned(app, booked, other);
  await app.idle();
  expect(await liveEventsOf(app, booked)).toMatchObject([{ calendar_id: other.account }]);
  expect(await calendarOf(app, booked)).toMatchObject({ status: 'synced', earlier: [], connection_id: other.connectionId });
});

test('a staff member without a calendar: what stood in the earlier one goes, and the booking is skipped', async () => {
  const { booked } = await synced();
  await assigned(app, booked, await staffMade(app, { calendar: false }));
  await app.idle();
  expect(await liveEventsOf(app, booked)).toEqual([]);
  expect(await calendarOf(app, booked)).toMatchObject({ status: 'skipped', event_id: null });
});

test('an event that somebody deleted is made again, and the order says so', async () => {
  const { booked } = await synced();
  const [event] = await eventsOf(app, booked);
  await app.control('POST', `/calendar/events/${event.id}/delete`, {});
  await changed(app, booked);
  await app.idle();
  expect(await liveEventsOf(app, booked)).toHaveLength(1);
  expect(await calendarOf(app, booked)).toMatchObject({ status: 'synced', error: 'event_recreated', generation: 1 });
});

test('an event that somebody edited is brought back', async () => {
  const { booked } = await synced();
  const [event] = await eventsOf(app, booked);
  await app.control('POST', `/calendar/events/${event.id}/edit`, { change: { summary: 'Lunch', start: { dateTime: hour(1) } } });
  await changed(app, booked);
  await app.idle();
  expect(await liveEventsOf(app, booked)).toMatchObject([{ id: event.id, summary: 'Massage: Budi', start: event.start }]);
  expect(await calendarOf(app, booked)).toMatchObject({ status: 'synced', error: '' });
});

test('a conference that is made at once, later, never, not at all', async () => {
  const ready = await synced('calendar');
  const { meet_url } = await calendarOf(app, ready.booked);
  expect(meet_url).toBe((await liveEventsOf(app, ready.booked))[0].hangoutLink);
  expect(meet_url).toMatch(/^https:/);

  await app.control('POST', '/behaviour', { conference: 'failure' });
  const failed = await synced('calendar');
  expect(await calendarOf(app, failed.booked)).toMatchObject({ status: 'synced', error: 'conference_unavailable', meet_url: '' });

  await app.control('POST', '/behaviour', { conference: 'invalid' });
  const invalid = await synced('calendar');
  expect(await liveEventsOf(app, invalid.booked)).toHaveLength(1);
  expect(await calendarOf(app, invalid.booked)).toMatchObject({ status: 'synced', error: 'conference_unavailable' });

  await app.control('POST', '/behaviour', { conference: 'pending' });
  const pending = await synced('calendar');
  expect(await calendarOf(app, pending.booked)).toMatchObject({ status: 'pending', synced: 0, meet_url: '' });
  await bookingCalendarRows.change(app, { booking_id: pending.booked.bookingId }, { conference_asked_at: ago('3 minutes') });
  await redispatchNow(app, { subject_id: pending.booked.orderId, state: 'queued' });
  await app.idle();
  expect(await calendarOf(app, pending.booked)).toMatchObject({ status: 'synced', error: 'conference_pending' });

  await app.control('POST', '/behaviour', { conference: 'success' });
  await changed(app, pending.booked);
  await app.idle();
  expect(await calendarOf(app, pending.booked)).toMatchObject({ status: 'synced', error: '' });
  const { rooms } = await app.control('GET', '/calendar/events');
  const [event] = await liveEventsOf(app, pending.booked);
  expect(rooms.filter((room: { event_id: string }) => room.event_id === event.id)).toHaveLength(1);
});

test('a room that was asked for and is not wished any more is not made later', async () => {
  await app.control('POST', '/behaviour', { conference: 'pending' });
  const { booked } = await synced('calendar');
  expect(await calendarOf(app, booked)).toMatchObject({ status: 'pending', meet_url: '' });
  await changed(app, booked, `conference = 'none'`);
  await redispatchNow(app, { subject_id: booked.orderId, state: 'queued' });
  await app.idle();
  expect(await calendarOf(app, booked)).toMatchObject({ status: 'synced', error: '', meet_url: '' });
  await app.control('POST', '/behaviour', { conference: 'success' });
  expect((await liveEventsOf(app, booked))[0].hangoutLink).toBeUndefined();
});

test('a meeting of the video service is made once, moved and ended, and only the address of guests is kept', async () => {
  const { booked } = await synced('video', { video: true });
  const mine = async () =>
    (await app.control('GET', '/video/meetings')).meetings.filter(
      (one: { agenda: string }) => one.agenda === `kanal:${booked.bookingId}`,
    );
  const [meeting] = await mine();
  const row = await calendarOf(app, booked);
  expect(row.video_url).toBe(`https://video.sandbox.example/j/${meeting.id}`);
  expect((await liveEventsOf(app, booked))[0].description).toContain(row.video_url);
  expect(JSON.stringify(await bookingCalendarRows.all(app))).not.toContain('zak=');
  await moved(app, booked, hour(91_000));
  await app.idle();
  expect(await mine()).toMatchObject([{ id: meeting.id, start_time: hour(91_000).replace('.000', '') }]);

  await app.control('POST', `/video/meetings/${meeting.id}/delete`, {});
  await changed(app, booked);
  await app.idle();
  const [again] = await mine();
  expect(again.id).not.toBe(meeting.id);
  await cancelled(app, booked);
  await app.idle();
  expect(await mine()).toEqual([]);
  expect(await calendarOf(app, booked)).toMatchObject({ status: 'synced', video_url: '', video_meeting_id: null });
});

test('a meeting whose creation had no answer is found by its mark', async () => {
  const { made } = await app.control('GET', '/video/meetings');
  await app.control('POST', '/faults', { kind: 'drop_after', match: { method: 'POST', path: '/video/v2/users/me/meetings' } });
  const { booked } = await synced('video', { video: true });
  await redispatchNow(app, { subject_id: booked.orderId, state: 'queued' });
  await app.idle();
  expect((await app.control('GET', '/video/meetings')).made).toBe(made + 1);
  expect(await calendarOf(app, booked)).toMatchObject({ status: 'synced', error: '' });
});

test('while the video service asks to slow down, no run asks it, whosever pool the run is in', async () => {
  const staff = await staffMade(app, { video: true });
  const service = await serviceMade(app, 'video');
  const all = [await bookingMade(app, staff, service), await bookingMade(app, staff, service)];
  const asked = async () => (await app.control('GET', '/requests?path=/video/v2')).requests.length;
  const before = await asked();
  await poolRows.change(app, `connection:${staff.videoId}`, { held_until: ahead('1 hour') });
  for (const booked of all) await changed(app, booked);
  await waitFor('the entries without their rooms', async () =>
    (await Promise.all(all.map((booked) => liveEventsOf(app, booked)))).every((events) => events.length === 1),
  );
  expect(await asked()).toBe(before);
  await poolRows.change(app, {}, { held_until: null });
  await redispatchNow(app, { state: 'queued' });
  await app.idle();
  for (const booked of all)
    expect(await calendarOf(app, booked)).toMatchObject({ status: 'synced', video_url: expect.stringMatching(/^https:/) });
});

test('a customer who is erased is in no entry and in no meeting any more; one of the past stays without them', async () => {
  const { id: contactId } = await contact(app.em(), app.tenant.organizationId);
  const staff = await staffMade(app, { video: true });
  const service = await serviceMade(app, 'video');
  const all = [await bookingMade(app, staff, service), await bookingMade(app, staff, service)] as const;
  const [coming, past] = all;
  for (const booked of all) {
    await orderRows.change(app, booked.orderId, {
      contact_id: contactId,
      customer_name: 'Quixworth',
      customer_phone: '+4915755500877',
    });
    await changed(app, booked);
  }
  await app.idle();
  const threeDaysAgo = `clock_timestamp() - interval '3 days'`;
  await app.rows(
    `update bookings set starts_at = ${threeDaysAgo}, ends_at = ${threeDaysAgo} + interval '1 hour',
            during = tstzrange(${threeDaysAgo}, ${threeDaysAgo} + interval '1 hour') where id = $1`,
    [past.bookingId],
  );
  const shown = async () => {
    const { meetings } = await app.control('GET', '/video/meetings');
    const marks = all.map(({ bookingId }) => `kanal:${bookingId}`);
    const events = await Promise.all(all.map((booked) => liveEventsOf(app, booked)));
    return { events: events.flat(), meetings: meetings.filter(({ agenda }: { agenda: string }) => marks.includes(agenda)) };
  };
  const before = await shown();
  expect([before.events.length, before.meetings.length]).toEqual([2, 2]);
  expect(JSON.stringify(before).match(/Quixworth/g)!.length).toBeGreaterThanOrEqual(4);
  expect((await app.call('contacts.delete', { params: { contactID: contactId } })).status).toBe(204);
  await waitFor('the erasure', async () => (await erasureRows.count(app)) === 0);
  await app.idle();
  const after = await shown();
  expect([after.events.length, after.meetings.length]).toEqual([2, 2]);
  expect(JSON.stringify(after)).not.toMatch(/Quixworth|4915755500877/);
  expect(await calendarOf(app, coming)).toMatchObject({ status: 'synced' });
});

test('an event of somebody else under our id is left alone: ours gets the next generation', async () => {
  const staff = await staffMade(app);
  const booked = await bookingMade(app, staff, await serviceMade(app));
  const id = eventIdOf(app.tenant.organizationId, booked.bookingId, 0);
  const token = await tokenOf(staff.account);
  await fetch(`${app.sandboxUrl}/calendar/v3/calendars/primary/events`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ id, summary: 'Theirs', start: { dateTime: hour(1) }, end: { dateTime: hour(2) } }),
  });
  await changed(app, booked);
  await app.idle();
  expect(await liveEventsOf(app, booked)).toMatchObject([{ id: eventIdOf(app.tenant.organizationId, booked.bookingId, 1) }]);
  expect(await calendarOf(app, booked)).toMatchObject({ status: 'synced', generation: 1, error: '' });
  const { events } = await app.control('GET', '/calendar/events');
  expect(events.find((event: { id: string }) => event.id === id)).toMatchObject({ summary: 'Theirs', status: 'confirmed' });
});

test('a second run of the same job changes nothing, and no job is left over', async () => {
  const { booked } = await synced();
  const before = await eventsOf(app, booked);
  await requeue(app, { subject_id: booked.orderId });
  await app.idle();
  expect(await eventsOf(app, booked)).toEqual(before);
  expect(await checkJobs(app.web.deps.database)).toEqual([]);
});

async function tokenOf(account: string): Promise<string> {
  const [name] = account.split('@');
  const form = new URLSearchParams({
    grant_type: 'refresh_token',
    refresh_token: `sandbox-refresh-token-${name}`,
    client_id: 'sandbox-calendar-client',
    client_secret: 'sandbox-calendar-secret',
  });
  const reply = await fetch(`${app.sandboxUrl}/oauth2/token`, { method: 'POST', body: form });
  return ((await reply.json()) as { access_token: string }).access_token;
}
