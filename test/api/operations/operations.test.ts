import { describe, expect, test } from '@jest/globals';
import { uuidv7 } from '../../../src/platform/ids.ts';
import { useApp } from '../../support/app.ts';

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
