import { beforeEach, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { type Body, type Channel, useApp } from '../../support/app.ts';
import { askByPhone } from '../../support/flow-exchange.ts';
import { storedFlowKeys } from '../../support/stored/flows.ts';
import { waitsForLock } from '../../support/stored/locks.ts';
import { now } from '../../support/stored/times.ts';
import { waitFor } from '../../support/wait-for.ts';

const app = useApp({ workers: true, env: { PUBLIC_URL: 'https://kanal.example.com/' } });
let channel: Channel;

const get = async ({ id, tenant } = channel): Promise<Body> =>
  (await app.call('channels.flow-encryption.get', { params: { channelID: id }, key: tenant.key })).body;
const rotate = ({ id, tenant } = channel, headers: Record<string, string> = { prefer: 'wait=20' }) =>
  app.call('channels.flow-encryption.rotate', { params: { channelID: id }, key: tenant.key, headers });
const pings = async (publicKey?: string) => (await askByPhone(app, channel, { action: 'ping' }, { publicKey })).status;

describe('of one channel', () => {
  beforeEach(async () => {
    channel = await app.connect();
  });

  test('none at first', async () => {
    expect(await get()).toEqual({
      channel_id: channel.id,
      public_key: null,
      is_rotating: false,
      uploaded_at: null,
      previous_expires_at: null,
      endpoint_url: `https://kanal.example.com/v1/providers/messaging-app/flows/${channel.id}`,
    });
  });

  test('the first one: made, uploaded, in use, and its private half is sealed', async () => {
    const { status, body, headers } = await rotate();
    expect(status).toBe(200);
    expect(body).toMatchObject({ is_rotating: false, previous_expires_at: null });
    expect(body.public_key).toMatch(/^-----BEGIN PUBLIC KEY-----/);
    expect(headers.get('operation-id')).toBeTruthy();
    expect(await get()).toEqual(body);
    expect(await pings()).toBe(200);
    const rows = await storedFlowKeys.all(app, { channel_id: channel.id }, { columns: ['private_key'] });
    expect(rows).toHaveLength(1);
    expect(rows[0]!.private_key).not.toContain('PRIVATE');
  });

  test('another: phones that still have the one before are understood for a day', async () => {
    const first = (await rotate()).body;
    const stale = first.public_key;
    const second = (await rotate()).body;
    expect(second.public_key).not.toBe(first.public_key);
    const left = new Date(second.previous_expires_at).getTime() - Date.now();
    expect(left / 3_600_000).toBeGreaterThan(23.9);
    expect(left / 3_600_000).toBeLessThanOrEqual(24);
    expect([await pings(), await pings(stale)]).toEqual([200, 200]);
    await storedFlowKeys.change(app, { channel_id: channel.id, state: 'previous' }, { expires_at: now() });
    expect([await pings(), await pings(stale)]).toEqual([200, 421]);
    expect((await get()).previous_expires_at).toBeNull();
  });

  test('twice at once is one operation', async () => {
    const [one, two] = await Promise.all([rotate(channel, {}), rotate(channel, {})]);
    expect(one.headers.get('operation-id')).toBe(two.headers.get('operation-id'));
    expect(one.body.is_rotating).toBe(true);
    await waitFor('its end', async () => !(await get()).is_rotating, 20_000);
    expect(await storedFlowKeys.all(app, { channel_id: channel.id }, { columns: ['state'] })).toEqual([{ state: 'current' }]);
  });

  test('a channel that is not connected: 409, and no key is made', async () => {
    await app.call('channels.disconnect', { params: { channelID: channel.id } });
    const { status, body } = await rotate();
    expect([status, body.error.code]).toEqual([409, 'conflict']);
    expect(await storedFlowKeys.count(app, { channel_id: channel.id })).toBe(0);
  });

  test('a channel that is deleted at the same time: 404, and no key is left behind', async () => {
    const other = new pg.Client({ connectionString: app.web.deps.config.databaseUrl });
    await other.connect();
    await other.query('begin');
    await other.query('update channels set deleted_at = clock_timestamp() where id = $1', [channel.id]);
    await other.query('delete from flow_keys where channel_id = $1', [channel.id]);
    const asked = rotate(channel, {});
    await waitFor('the rotation to wait', () => waitsForLock(app));
    await other.query('commit');
    await other.end();
    expect((await asked).status).toBe(404);
    expect(await storedFlowKeys.count(app, { channel_id: channel.id })).toBe(0);
  });

  test("another organization's: 404", async () => {
    const { key } = await app.organization();
    for (const operation of ['get', 'rotate'])
      expect((await app.call(`channels.flow-encryption.${operation}`, { params: { channelID: channel.id }, key })).status).toBe(
        404,
      );
  });

  test('with a body, or an unknown parameter: 422', async () => {
    const params = { channelID: channel.id };
    expect((await app.call('channels.flow-encryption.rotate', { params, body: { force: true } })).status).toBe(422);
    expect((await app.call('channels.flow-encryption.get', { params, query: { a: '1' } })).status).toBe(422);
  });
});
