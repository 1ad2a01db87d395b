import { describe, expect, test } from '@jest/globals';
import { useApp } from '../../support/app.ts';
import { connectCalendar, freshCredentials } from '../../support/connections.ts';

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
  expect((await app.one('select status from connections where id = $1', [id])).status).toBe('auth_error');
  expect((await calendars(id)).status).toBe(409);
});

test('a connection of another kind has none', async () => {
  const made = await app.call('connections.create', { body: { provider: 'zoom', credentials: freshCredentials.zoom() } });
  expect(made.status).toBe(201);
  const { status, body } = await calendars(made.body.id);
  expect([status, body.error.code]).toEqual([422, 'connection_required']);
});

describe('the pace of the account', () => {
  const pool = (id: string) =>
    app.one(
      `select tat > clock_timestamp() as is_taken, held_until > clock_timestamp() is true as is_held from pools where id = $1`,
      [`connection:${id}`],
    );

  test('the call takes its turn', async () => {
    const { id } = await connectCalendar(app);
    expect((await calendars(id)).status).toBe(200);
    expect(await pool(id)).toEqual({ is_taken: true, is_held: false });
  });

  test('while it is on hold the provider is not asked: 503 with the time that is left', async () => {
    const { id } = await connectCalendar(app);
    await app.rows(`update pools set held_until = clock_timestamp() + interval '30 s' where id = $1`, [`connection:${id}`]);
    await app.control('POST', '/faults', { kind: 'status', status: 500, match: { path: '/calendarList' }, times: 1 });
    const { status, headers } = await calendars(id);
    expect([status, Number(headers.get('retry-after'))]).toEqual([503, 30]);
    await app.rows('update pools set held_until = null where id = $1', [`connection:${id}`]);
    expect((await calendars(id)).status).toBe(503);
    expect((await calendars(id)).status).toBe(200);
  });

  test('a rate that the provider says is reached puts it on hold', async () => {
    const { id } = await connectCalendar(app);
    await app.control('POST', '/faults', { kind: 'status', status: 429, match: { path: '/calendarList' }, times: 1 });
    expect((await calendars(id)).status).toBe(503);
    expect(await pool(id)).toMatchObject({ is_held: true });
  });
});
