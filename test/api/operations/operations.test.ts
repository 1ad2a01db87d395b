import { describe, expect, test } from '@jest/globals';
import { uuidv7 } from '../../../src/platform/ids.ts';
import { type Body, type Tenant, useApp } from '../../support/app.ts';
import { storedJobs } from '../../support/stored/api-jobs.ts';

const app = useApp();
const get = (operationID: string, key?: string) => app.call('operations.get', { params: { operationID }, key });

async function operation(): Promise<string> {
  const channel = await app.connect();
  return (await app.call('templates.sync', { params: { channelID: channel.id } })).headers.get('operation-id')!;
}

describe('get', () => {
  test.each([
    ['queued', `state = 'queued'`, null],
    ['running', `state = 'queued', started_at = clock_timestamp()`, null],
    ['succeeded', `state = 'done', finished_at = clock_timestamp()`, null],
    [
      'failed',
      `state = 'failed', finished_at = clock_timestamp(), error = '{"code": "provider_refused", "message": "No"}'`,
      'provider_refused',
    ],
  ])('%s', async (status, change, code) => {
    const id = await operation();
    await app.rows(`update jobs set ${change} where id = $1`, [id]);
    const { body } = await get(id);
    expect([body.id, body.status, body.error?.code ?? null]).toEqual([id, status, code]);
    expect(body.finished_at === null).toBe(['queued', 'running'].includes(status));
  });

  test('without messages:read: those whose subject the caller may read, and a 403 for all others, there or not', async () => {
    const { key } = await app.key(app.tenant.organizationId, ['contacts:read', 'contacts:write']);
    const own = (await app.call('contacts.exports.create', { key })).headers.get('operation-id')!;
    expect((await get(own, key)).body).toMatchObject({ id: own, name: 'contacts.export' });
    for (const id of [await operation(), uuidv7()]) {
      const { status, body } = await get(id, key);
      expect([status, body.error.message]).toEqual([403, 'The API key lacks the scope messages:read']);
    }
    const { key: other } = await app.key(app.tenant.organizationId, ['contacts:write']);
    expect((await get(own, other)).status).toBe(403);
    expect((await get(own, (await app.organization()).key)).status).toBe(404);
  });

  test('a job that is no operation is not shown', async () => {
    const channel = await app.connect();
    const { phone } = await app.conversation(channel);
    const { body } = await app.text(channel, phone);
    expect((await get((await app.jobOf(body.data.id)).id)).status).toBe(404);
  });

  test.each(['01932d5f-3a0e-7cc4-8f4e-0242ac120005', 'x'])('%s: 404', async (id) => {
    expect((await get(id)).body.error.message).toBe('Operation not found');
  });
});

describe('list', () => {
  const recovering = async (tenant: Tenant) => {
    const { body } = await app.call('webhooks.endpoints.create', {
      key: tenant.key,
      body: { url: 'http://127.0.0.1:9/', event_types: ['message.sent'] },
    });
    const since = new Date(Date.now() - 3_600_000);
    const asked = await app.call('webhooks.endpoints.recover', {
      key: tenant.key,
      params: { endpointID: body.id },
      body: { since },
    });
    return asked.body.operation_id as string;
  };
  const list = async (query: Record<string, string | number | boolean>, key: string) =>
    (await app.call('operations.list', { key, query })).body;
  const idsOf = (body: Body) => body.items.map(({ id }: Body) => id);

  test('newest first, in pages, by kind, status and time', async () => {
    const tenant = await app.organization();
    const made: string[] = [];
    for (let index = 0; index < 3; index += 1) made.unshift(await recovering(tenant));
    const exported = (await app.call('contacts.exports.create', { key: tenant.key })).headers.get('operation-id')!;
    await app.call('operations.cancel', { key: tenant.key, params: { operationID: exported } });
    await app.call('operations.pause', { key: tenant.key, params: { operationID: made[0]! } });
    const all = [exported, ...made];

    const pages: string[] = [];
    let cursor: string | undefined;
    do {
      const body = await list({ limit: 3, ...(cursor && { cursor }) }, tenant.key);
      pages.push(...idsOf(body));
      cursor = body.meta.next_cursor;
    } while (cursor);
    expect(pages).toEqual(all);
    expect(idsOf(await list({ name: 'webhooks.recover' }, tenant.key))).toEqual(made);
    expect(idsOf(await list({ status: 'cancelled' }, tenant.key))).toEqual([exported]);
    expect(idsOf(await list({ status: 'paused' }, tenant.key))).toEqual([made[0]]);
    expect(idsOf(await list({ status: 'queued' }, tenant.key))).toEqual(made.slice(1));
    expect(idsOf(await list({ status: 'succeeded' }, tenant.key))).toEqual([]);
    expect((await list({ include_total: true }, tenant.key)).meta.total).toBe(4);

    const [second] = await storedJobs.all(app, made[1], { columns: ['created_at'] });
    const at = new Date(second.created_at).toISOString();
    expect(idsOf(await list({ until: at }, tenant.key))).not.toContain(made[0]);
    expect(idsOf(await list({ since: at }, tenant.key))).toEqual(all.slice(0, 3));
    const zoneless = await app.call('operations.list', { key: tenant.key, query: { since: at.slice(0, -1) } });
    expect([zoneless.status, zoneless.body.error.details[0].field]).toEqual([422, 'since']);
  });

  test('without messages:read: those whose subject the caller may read', async () => {
    const tenant = await app.organization();
    const id = await recovering(tenant);
    await app.call('contacts.exports.create', { key: tenant.key });
    const { key } = await app.key(tenant.organizationId, ['webhooks:read']);
    expect(idsOf(await list({}, key))).toEqual([id]);
  });

  test('jobs that nobody asked for are none', async () => {
    const tenant = await app.organization();
    await app.call('contacts.create', { key: tenant.key, body: { name: 'N', phone: '+16505550101' } });
    expect(idsOf(await list({}, tenant.key))).toEqual([]);
  });
});
