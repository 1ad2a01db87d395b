import { auth, calendar, type calendar_v3 } from '@googleapis/calendar';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createSandbox } from '../../sandbox/sandbox.ts';
import { calendarClient } from '../../sandbox/tokens.ts';
import { type CalendarRefused, sortedAnswer } from '../../src/providers/calendar/error-codes.ts';
import { googleCalendar } from '../../src/providers/calendar/google.ts';
import type { Calendar, EventContent } from '../../src/providers/calendar/provider.ts';
import { createJsonClient, type JsonClient } from '../../src/providers/json/client.ts';

/** Google's own client against the sandbox, beside our adapter: what one makes, the other sees. */
const sandbox = createSandbox();
let theirs: calendar_v3.Calendar;
let ours: Calendar;
let client: JsonClient;
let token = '';

beforeAll(async () => {
  const rootUrl = `http://127.0.0.1:${await sandbox.listen(0)}/`;
  const oauth = new auth.OAuth2({
    clientId: calendarClient.id,
    clientSecret: calendarClient.secret,
    endpoints: { oauth2TokenUrl: `${rootUrl}oauth2/token` },
  });
  oauth.setCredentials({ refresh_token: 'sandbox-refresh-token-ada' });
  token = (await oauth.getAccessToken()).token!;
  theirs = calendar({ version: 'v3', auth: oauth, rootUrl });
  client = createJsonClient({ url: `${rootUrl}calendar/v3`, timeoutMs: 5_000, name: 'the calendar', sorted: sortedAnswer });
  ours = googleCalendar(client);
});
afterAll(async () => {
  client.close();
  await sandbox.close();
});

const content = (more: Partial<EventContent> = {}): EventContent => ({
  summary: 'Massage: Budi',
  description: 'Order A-000001',
  location: 'Room 2',
  startsAt: '2030-01-01T02:00:00.000Z',
  endsAt: '2030-01-01T03:00:00.000Z',
  timezone: 'Asia/Jakarta',
  mark: 'booking-1',
  conference: { kind: 'keep' },
  ...more,
});
const calendarId = 'primary';

test('what our adapter makes, the client of the service sees: fields, mark, room', async () => {
  const made = await ours.insertEvent(
    token,
    { calendarId, eventId: 'ours0001' },
    content({ conference: { kind: 'ask', requestId: 'ours0001' } }),
  );
  const { data } = await theirs.events.get({ calendarId, eventId: 'ours0001' });
  expect(data).toMatchObject({
    id: 'ours0001',
    status: 'confirmed',
    summary: 'Massage: Budi',
    location: 'Room 2',
    start: { dateTime: '2030-01-01T02:00:00.000Z', timeZone: 'Asia/Jakarta' },
    extendedProperties: { private: { kanal_booking: 'booking-1' } },
    hangoutLink: made.conference.url,
    etag: made.etag,
    htmlLink: made.url,
  });
  const { data: listed } = await theirs.events.list({ calendarId, privateExtendedProperty: ['kanal_booking=booking-1'] });
  expect(listed.items!.map(({ id }) => id)).toEqual(['ours0001']);
});

test('what the client of the service makes, our adapter sees: an event that is not ours', async () => {
  const times = { start: { dateTime: '2030-02-01T09:00:00+07:00' }, end: { dateTime: '2030-02-01T10:00:00+07:00' } };
  const { data } = await theirs.events.insert({
    calendarId,
    conferenceDataVersion: 1,
    requestBody: {
      id: 'theirs01',
      summary: 'Lunch',
      ...times,
      conferenceData: { createRequest: { requestId: 'r1', conferenceSolutionKey: { type: 'hangoutsMeet' } } },
    },
  });
  const seen = await ours.getEvent(token, { calendarId, eventId: 'theirs01' });
  expect(seen).toEqual({
    id: 'theirs01',
    etag: data.etag,
    status: 'confirmed',
    url: data.htmlLink,
    mark: null,
    conference: { state: 'ready', url: data.hangoutLink },
  });
});

test('a patch under an etag: taken, then refused as changed, by both', async () => {
  const place = { calendarId, eventId: 'patched1' };
  const first = await ours.insertEvent(token, place, content());
  const { data } = await theirs.events.patch(
    { ...place, requestBody: { summary: 'Moved by hand' } },
    { headers: { 'If-Match': first.etag } },
  );
  expect(data.etag).not.toBe(first.etag);
  const refused = await ours.patchEvent(token, place, first.etag, content()).catch((error: unknown) => error);
  expect((refused as CalendarRefused).reason).toBe('changed');
  const back = await ours.patchEvent(token, place, data.etag!, content());
  expect((await theirs.events.get(place)).data).toMatchObject({ summary: 'Massage: Budi', etag: back.etag });
  await expect(
    theirs.events.patch({ ...place, requestBody: { summary: 'Late' } }, { headers: { 'If-Match': data.etag! } }),
  ).rejects.toMatchObject({ status: 412 });
});

test('a deleted event keeps its id: 409, 410, and a patch revives it', async () => {
  const place = { calendarId, eventId: 'deleted1' };
  await ours.insertEvent(token, place, content());
  expect((await theirs.events.delete(place)).status).toBe(204);
  expect((await ours.getEvent(token, place)).status).toBe('cancelled');
  const reasons = [];
  for (const call of [ours.insertEvent(token, place, content()), ours.deleteEvent(token, place)])
    reasons.push(((await call.catch((error: unknown) => error)) as CalendarRefused).reason);
  expect(reasons).toEqual(['exists', 'deleted']);
  await expect(theirs.events.delete(place)).rejects.toMatchObject({ status: 410 });
  const { etag } = await ours.getEvent(token, place);
  await ours.patchEvent(token, place, etag, content());
  expect((await theirs.events.get(place)).data.status).toBe('confirmed');
  await ours.deleteEvent(token, place);
  const { data } = await theirs.events.list({ calendarId, showDeleted: true, maxResults: 2_500 });
  expect(data.items!.find(({ id }) => id === 'deleted1')?.status).toBe('cancelled');
});

test('a room is taken away again, and one request makes one', async () => {
  const place = { calendarId, eventId: 'room0001' };
  const asked = content({ conference: { kind: 'ask', requestId: 'room0001' } });
  const first = await ours.insertEvent(token, place, asked);
  const again = await ours.patchEvent(token, place, first.etag, asked);
  expect(again.conference).toEqual(first.conference);
  const without = await ours.patchEvent(token, place, again.etag, content({ conference: { kind: 'none' } }));
  expect(without.conference).toEqual({ state: 'none', url: '' });
  expect((await theirs.events.get(place)).data.hangoutLink).toBeUndefined();
});

test('calendars and busy times are the same for both', async () => {
  const { data } = await theirs.calendarList.list({});
  const { calendars: heads, next } = await ours.listCalendars(token);
  expect(heads.map(({ id }) => id)).toEqual(data.items!.map(({ id }) => id));
  expect(next).toBeUndefined();
  expect(heads.map(({ isWritable }) => isWritable)).toEqual([true, true, false]);
  expect(heads[0]).toMatchObject({ id: 'ada@sandbox.example', isPrimary: true });
  const range = { from: '2030-01-01T00:00:00Z', to: '2030-03-01T00:00:00Z' };
  const busy = await ours.listBusy(token, calendarId, range);
  const told = await theirs.freebusy.query({
    requestBody: { timeMin: range.from, timeMax: range.to, items: [{ id: calendarId }] },
  });
  expect(busy.map(({ from, to }) => ({ start: from, end: to }))).toEqual(told.data.calendars![calendarId]!.busy);
  expect(busy.length).toBeGreaterThan(1);
  expect(await ours.verify({}, token)).toEqual({ account: 'ada@sandbox.example' });
});

test.each([
  [{ summary: 'no times' }, 400],
  [{ id: 'UPPER', start: { dateTime: '2030-01-01T09:00:00Z' }, end: { dateTime: '2030-01-01T10:00:00Z' } }, 400],
  [{ start: { dateTime: '2030-01-01T09:00:00Z' }, end: { dateTime: '2030-01-01T09:00:00Z' } }, 400],
  [{ start: { dateTime: '2030-01-01T09:00:00Z', timeZone: 'Mars/Base' }, end: { dateTime: '2030-01-01T10:00:00Z' } }, 400],
])('the sandbox refuses %j as the service does', async (requestBody, status) => {
  await expect(theirs.events.insert({ calendarId, requestBody })).rejects.toMatchObject({ status });
});

test('a calendar that is only read, one that is not there, and a token that is not good', async () => {
  const refusals: unknown[] = [];
  const place = { eventId: 'nowhere1' };
  const calls = [
    ours.insertEvent(token, { ...place, calendarId: 'holidays.ada@sandbox.example' }, content()),
    ours.insertEvent(token, { ...place, calendarId: 'else@sandbox.example' }, content()),
    ours.insertEvent('not-a-token', { ...place, calendarId }, content()),
  ];
  for (const call of calls) refusals.push(((await call.catch((error: unknown) => error)) as CalendarRefused).reason);
  expect(refusals).toEqual(['forbidden', 'missing', 'auth']);
});
