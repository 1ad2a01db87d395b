import { describe, expect, test } from '@jest/globals';
import { useApp } from '../../support/app.ts';
import { connectCalendar, freshCredentials } from '../../support/connections.ts';
import { isHeld, releasePool, storedPools } from '../../support/stored/api-jobs.ts';
import { storedConnections } from '../../support/stored/channels.ts';
import { ahead } from '../../support/stored/times.ts';

const app = useApp();
const calendars = (id: string) => app.call('connections.calendars.list', { params: { connectionID: id } });

test('the calendars of the account are read at the provider', async () => {
  const { id } = await connectCalendar(app);
  const { status, body } = await calendars(id);
  expect(status).toBe(200);
  expect(body.items).toEqual(expect.arrayContaining([expect.objectContaining({ is_primary: true, is_writable: true })]));
});

test('an access token that has ended is renewed once on the way', async () => {
  const { id } = await connectCalendar(app);
  await app.control('POST', '/tokens/expire', {});
  const { issued } = await app.control('GET', '/tokens');
  expect((await calendars(id)).status).toBe(200);
  expect((await app.control('GET', '/tokens')).issued).toBe(issued + 1);
});

test('an account that was revoked stops its connection', async () => {
  const { id } = await connectCalendar(app, { body: { credentials: freshCredentials.google('revoked') } });
  await app.control('POST', '/tokens/revoke', { account: 'revoked@sandbox.example' });
  const { status, body } = await calendars(id);
  expect([status, body.error.code]).toEqual([422, 'provider_refused']);
  expect((await storedConnections.one(app, id)).status).toBe('auth_error');
  expect((await calendars(id)).status).toBe(409);
});

test('a connection of another kind has none', async () => {
  const made = await app.call('connections.create', { body: { provider: 'zoom', credentials: freshCredentials.zoom() } });
  expect(made.status).toBe(201);
  const { status, body } = await calendars(made.body.id);
  expect([status, body.error.code]).toEqual([422, 'connection_required']);
});

describe('the pace of the account', () => {
  const poolOf = (id: string) => `connection:${id}`;
  const isPaced = async (id: string) => new Date((await storedPools.one(app, poolOf(id))).tat) > new Date();

  test('the call takes its turn', async () => {
    const { id } = await connectCalendar(app);
    expect((await calendars(id)).status).toBe(200);
    expect(await isPaced(id)).toBe(true);
    expect(await isHeld(app, poolOf(id))).toBe(false);
  });

  test('while it is on hold the provider is not asked: 503 with the time that is left', async () => {
    const { id } = await connectCalendar(app);
    await storedPools.change(app, poolOf(id), { held_until: ahead(30, 'second') });
    await app.control('POST', '/faults', { kind: 'status', status: 500, match: { path: '/calendarList' }, times: 1 });
    const { status, headers } = await calendars(id);
    expect([status, Number(headers.get('retry-after'))]).toEqual([503, 30]);
    await releasePool(app, poolOf(id));
    expect((await calendars(id)).status).toBe(503);
    expect((await calendars(id)).status).toBe(200);
  });

  test('a rate that the provider says is reached puts it on hold', async () => {
    const { id } = await connectCalendar(app);
    await app.control('POST', '/faults', { kind: 'status', status: 429, match: { path: '/calendarList' }, times: 1 });
    expect((await calendars(id)).status).toBe(503);
    expect(await isHeld(app, poolOf(id))).toBe(true);
  });
});
