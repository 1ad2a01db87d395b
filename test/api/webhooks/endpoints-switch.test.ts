import { beforeEach, describe, expect, test } from '@jest/globals';
import { type Tenant, useApp } from '../../support/app.ts';
import { listedActs } from '../../support/listed-acts.ts';
import { storedEvents } from '../../support/stored/api-events.ts';
import { heldUntil, storedJobs } from '../../support/stored/api-jobs.ts';

/** Without workers: what a request itself does. What becomes of deliveries is in test/workers/webhooks/settle-pending.deep.test.ts. */
const app = useApp();
let tenant: Tenant;
let id: string;

beforeEach(async () => {
  tenant = await app.organization();
  const body = { url: 'https://example.com/hooks', event_types: ['message.sent'] };
  id = (await app.call('webhooks.endpoints.create', { key: tenant.key, body })).body.id;
});

const on = (operation: string, body?: object, headers?: Record<string, string>) =>
  app.call(`webhooks.endpoints.${operation}`, { key: tenant.key, params: { endpointID: id }, body, headers });
const deliveriesHeldUntil = () => heldUntil(app, `endpoint:${id}`);
const jobs = async () => {
  const rows = await storedJobs.all(app, { subject_id: id }, { columns: ['name', 'lane'], orderBy: 'seq' });
  expect(rows.every(({ lane }) => lane === `webhook_endpoint:${id}`)).toBe(true);
  return rows.map(({ name }) => name);
};
const audited = (action: string) =>
  listedActs(
    app,
    { action: `webhooks.endpoints.${action}`, subject: `webhook_endpoint:${id}` },
    { key: tenant.key, columns: ['details'] },
  );

describe('disable', () => {
  test('holds the pool and says who asked what', async () => {
    const { status, body } = await on('disable');
    expect(status).toBe(200);
    expect(body).toMatchObject({ id, enabled: false, disabled_reason: 'manual' });
    expect(Math.abs(Date.parse(body.disabled_at) - Date.now())).toBeLessThan(60_000);
    expect(await deliveriesHeldUntil()).toEqual('infinity');
    expect(await jobs()).toEqual([]);
    expect(await audited('disable')).toEqual([{ details: { held: 'keep' } }]);
  });

  test.each([
    ['drop', 'webhooks.cancel-pending'],
    ['release', 'webhooks.drain-pending'],
  ])('%s is work for a job, which the reply names', async (held, name) => {
    const { headers } = await on('disable', { held });
    const operation = await app.call('operations.get', {
      key: tenant.key,
      params: { operationID: headers.get('operation-id')! },
    });
    expect(operation.body).toMatchObject({ name, status: 'queued', subject: { type: 'webhook_endpoint', id } });
    expect(await jobs()).toEqual([name]);
  });

  test('asked of a disabled one it applies to what waits then, in the order of the requests', async () => {
    const first = await on('disable');
    await on('disable', { held: 'drop' });
    const last = await on('disable', { held: 'release' });
    expect(last.body).toEqual(first.body);
    expect(await jobs()).toEqual(['webhooks.cancel-pending', 'webhooks.drain-pending']);
    const events = await storedEvents.all(app, { subject_id: id }, { columns: ['type'] });
    expect(events).toEqual([{ type: 'endpoint.disabled' }]);
  });

  test('with an Idempotency-Key asked again it is the same operation', async () => {
    const headers = { 'idempotency-key': 'once' };
    const [first, again] = [await on('disable', { held: 'drop' }, headers), await on('disable', { held: 'drop' }, headers)];
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(again.headers.get('operation-id')).toBe(first.headers.get('operation-id'));
    expect(await jobs()).toEqual(['webhooks.cancel-pending']);
  });
});

describe('enable', () => {
  test('lets the pool go at once, and needs no job where nothing has to be changed', async () => {
    await on('disable');
    const { body, headers } = await on('enable');
    expect(body).toMatchObject({ enabled: true, disabled_reason: null, disabled_at: null });
    expect(await deliveriesHeldUntil()).toBeNull();
    expect(await jobs()).toEqual([]);
    expect(headers.get('operation-id')).toBeNull();
    expect(await audited('enable')).toEqual([{ details: { held: 'keep' } }]);
  });

  test('drop keeps the pool held until the job is done, also when asked of the disable before', async () => {
    await on('disable');
    await on('enable', { held: 'drop' });
    expect(await deliveriesHeldUntil()).toEqual('infinity');
    expect(await jobs()).toEqual(['webhooks.cancel-pending']);
    await on('disable');
    await on('enable');
    expect(await deliveriesHeldUntil()).toBe('infinity');
  });

  test('an enabled one is left as it is', async () => {
    const { body: before } = await on('get');
    expect((await on('enable', { held: 'drop' })).body).toEqual(before);
    expect(await deliveriesHeldUntil()).toEqual(null);
    expect(await jobs()).toEqual([]);
  });
});
