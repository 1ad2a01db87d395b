import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { uuidv7 } from '../../../src/platform/ids.ts';
import { endpointPool, holdPool, poolOf } from '../../../src/platform/ledger/pools.ts';
import { maxOpenReplays, replayableTypes } from '../../../src/webhooks/replay/request.ts';
import { actsOf } from '../../support/acts.ts';
import { type Tenant, useApp } from '../../support/app.ts';
import { deliveries } from '../../support/factories/deliveries.ts';
import { type Receiver, startReceiver } from '../../support/receiver.ts';
import { storedJobs, storedPools } from '../../support/stored/api-jobs.ts';
import { waitsForLock } from '../../support/stored/locks.ts';
import { now } from '../../support/stored/times.ts';
import { storedDeliveries, storedEndpoints, storedReplays } from '../../support/stored/webhooks.ts';
import { waitFor } from '../../support/wait-for.ts';

const app = useApp();
/** Of the catalogue. */
const endpointTypes = replayableTypes.filter((type) => type.startsWith('endpoint.')).toSorted();
let tenant: Tenant;
let endpointId: string;

const listen = async (more: object = {}): Promise<string> =>
  (
    await app.call('webhooks.endpoints.create', {
      key: tenant.key,
      body: { url: 'http://127.0.0.1:9/', event_types: ['message.sent'], ...more },
    })
  ).body.id;

beforeEach(async () => {
  tenant = await app.organization();
  endpointId = await listen();
});

const make = (given: Parameters<typeof deliveries>[2], id = endpointId) =>
  deliveries((text, params) => app.rows(text, params), { organizationId: tenant.organizationId, endpointId: id }, given);
const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString();
const replayOne = (deliveryID: string, headers?: Record<string, string>, key = tenant.key) =>
  app.call('webhooks.deliveries.replay', { key, params: { deliveryID }, headers });
const ask = (what: 'recover' | 'replay' | 'cancel', body: object, { id = endpointId, key = tenant.key, headers = {} } = {}) =>
  app.call(`webhooks.endpoints.${what}`, { key, params: { endpointID: id }, body, headers });
const delivery = (id: string) => storedDeliveries.one(app, id);
const liveJobs = (id: string) => storedJobs.all(app, { subject_id: id, state: ['blocked', 'waiting', 'queued'] });
const replays = () => storedReplays.all(app, { organization_id: tenant.organizationId });

describe('one delivery', () => {
  test.each(['failed', 'purged', 'succeeded', 'cancelled'] as const)(
    'that is %s gets a new try, of the same event',
    async (state) => {
      const [id] = await make({ state });
      const before = await delivery(id!);
      const { status, body } = await replayOne(id!);
      expect(status).toBe(202);
      expect(body).toEqual({
        id,
        event_id: before.event_id,
        endpoint_id: endpointId,
        state: 'pending',
        attempts: 10,
        waits_for: null,
      });
      expect(await delivery(id!)).toMatchObject({ state: 'pending', finished_at: null, asked_by: 'replay', asked_after: 10 });
      expect(await liveJobs(id!)).toMatchObject([{ queue: 'webhook-retries', attempts: 0 }]);
    },
  );

  test('that waits for a later try is tried now, and its attempts count on', async () => {
    const [id] = await make({ state: 'later' });
    expect((await replayOne(id!)).body.waits_for).toBeNull();
    const [job] = await liveJobs(id!);
    expect(job).toMatchObject({ attempts: 3, run: 2 });
    expect(Date.parse(job.run_at)).toBeLessThan(Date.now() + 5_000);
  });

  test('whose later try is overdue, and still parked, is tried now', async () => {
    const [id] = await make({ state: 'later' });
    await app.rows(
      `update jobs
          set run_at = clock_timestamp() - interval '1 hour', check_at = clock_timestamp() - interval '1 hour 20 s'
        where subject_id = $1`,
      [id],
    );
    expect((await replayOne(id!)).body.waits_for).toBeNull();
    expect(await liveJobs(id!)).toMatchObject([{ attempts: 3, run: 2 }]);
    expect(await delivery(id!)).toMatchObject({ asked_by: 'replay' });
  });

  test('asked twice has one job', async () => {
    const [id] = await make({});
    await Promise.all([replayOne(id!), replayOne(id!)]);
    expect(await liveJobs(id!)).toMatchObject([{ run: 2 }]);
  });

  test('that is being tried is left to that try', async () => {
    const [id] = await make({ state: 'later' });
    await storedJobs.change(app, { subject_id: id }, { run_at: now(), slot_at: now() });
    expect((await replayOne(id!)).body.waits_for).toBe('attempt');
    expect(await liveJobs(id!)).toMatchObject([{ run: 1, state: 'queued' }]);
  });

  test('waits for its endpoint to be enabled', async () => {
    const [id] = await make({});
    await storedEndpoints.change(app, endpointId, { enabled: false });
    await holdPool(app.em(), poolOf(tenant.organizationId, endpointPool(endpointId)), null);
    expect((await replayOne(id!)).body.waits_for).toBe('endpoint');
    expect(await liveJobs(id!)).toMatchObject([{ state: 'waiting' }]);
  });

  test('of a disabled endpoint is tried now where what waits is still delivered', async () => {
    const [id] = await make({ state: 'later' });
    const drain = `endpoint:${endpointId}:drain`;
    await storedPools.add(app, { organization_id: tenant.organizationId, id: drain, width: 10 });
    await storedJobs.change(app, { subject_id: id }, { pool: drain });
    await storedEndpoints.change(app, endpointId, { enabled: false });
    expect((await replayOne(id!)).body.waits_for).toBeNull();
  });

  test('waits behind what is ahead of it in the order of its subject', async () => {
    const ordered = await listen({ ordering: 'per_subject' });
    const subjectId = uuidv7();
    await make({ state: 'waiting', subjectId }, ordered);
    const [id] = await make({ subjectId }, ordered);
    expect((await replayOne(id!)).body.waits_for).toBe('order');
    expect(await liveJobs(id!)).toMatchObject([{ state: 'blocked' }]);
  });

  test('leaves who asked in the audit log', async () => {
    const [id] = await make({});
    expect(await actsOf(app, await replayOne(id!))).toMatchObject([
      { actor: `key:${tenant.keyId}`, action: 'webhooks.deliveries.replay', subject: `webhook_delivery:${id}` },
    ]);
  });

  test('of a deleted endpoint is a 409, and stays readable', async () => {
    const [id] = await make({});
    await app.call('webhooks.endpoints.delete', { key: tenant.key, params: { endpointID: endpointId } });
    const { status, body } = await replayOne(id!);
    expect(status).toBe(409);
    expect(body.error.message).toBe('The webhook endpoint was deleted');
    expect(await delivery(id!)).toMatchObject({ state: 'failed', asked_by: null });
    expect((await app.call('webhooks.deliveries.get', { key: tenant.key, params: { deliveryID: id! } })).status).toBe(200);
  });

  test('of another organization, or of nobody, is a 404', async () => {
    const [id] = await make({});
    const stranger = await app.organization();
    expect((await replayOne(id!, {}, stranger.key)).status).toBe(404);
    expect((await replayOne(uuidv7())).status).toBe(404);
    expect(await delivery(id!)).toMatchObject({ state: 'failed', asked_by: null });
  });
});

describe('many', () => {
  test.each([
    ['recover', { since: hoursAgo(1) }, null],
    ['replay', { since: hoursAgo(1), event_types: ['message.new', 'message.sent'] }, ['message.new', 'message.sent']],
    ['replay', { since: hoursAgo(1) }, ['message.sent']],
    ['replay', { since: hoursAgo(1), event_types: ['endpoint.*'] }, endpointTypes],
    ['cancel', {}, null],
  ] as const)('%s %j answers with its operation at once, and changes nothing itself', async (what, body, types) => {
    const [id] = await make({});
    const reply = await ask(what, body);
    expect(reply.status).toBe(202);
    const operationID = reply.headers.get('operation-id')!;
    expect(reply.headers.get('location')).toBe(`/v1/operations/${operationID}`);
    expect(reply.body).toMatchObject({ operation_id: operationID, endpoint_id: endpointId, until: null });
    expect(reply.body.event_types?.toSorted() ?? null).toEqual(types);
    const { body: operation } = await app.call('operations.get', { key: tenant.key, params: { operationID } });
    expect(operation).toMatchObject({ name: `webhooks.${what}`, status: 'queued', subject: { type: 'webhook_replay' } });
    expect(await delivery(id!)).toMatchObject({ state: 'failed' });
    expect(await actsOf(app, reply)).toMatchObject([
      {
        action: `webhooks.endpoints.${what}`,
        subject: `webhook_endpoint:${endpointId}`,
        details: { operation_id: operationID, until: null },
      },
    ]);
  });

  test('asked for twice it is done once; another range, kind or endpoint is another operation', async () => {
    const since = hoursAgo(2);
    const other = await listen();
    const operation = async (...asked: Parameters<typeof ask>) => (await ask(...asked)).body.operation_id;
    const one = await operation('recover', { since });
    const [again, atOnce] = await Promise.all([operation('recover', { since }), operation('recover', { since })]);
    expect([again, atOnce]).toEqual([one, one]);
    const others = [
      await operation('recover', { since: hoursAgo(3) }),
      await operation('recover', { since, until: hoursAgo(1) }),
      await operation('replay', { since }),
      await operation('recover', { since }, { id: other }),
    ];
    expect(new Set([one, ...others]).size).toBe(5);
    expect(await operation('replay', { since, event_types: ['message.sent'] })).toBe(others[2]);
    await storedReplays.change(app, { endpoint_id: endpointId }, { state: 'ended', finished_at: now() });
    expect(await operation('recover', { since })).not.toBe(one);
  });

  test('a failed delivery that is older than events are kept is recovered: it is kept from its end on', async () => {
    const since = hoursAgo(60 * 24);
    expect((await ask('recover', { since })).status).toBe(422);
    await make({ state: 'succeeded', ageMinutes: 50 * 24 * 60 });
    await make({ isTest: true, ageMinutes: 50 * 24 * 60 });
    expect((await ask('recover', { since })).status).toBe(422);
    await make({ ageMinutes: 50 * 24 * 60 });
    expect((await ask('recover', { since })).status).toBe(202);
    expect((await ask('replay', { since })).body.error.details[0].code).toBe('before_retention');
  });

  test.each([
    ['recover', {}],
    ['recover', { until: hoursAgo(1) }],
    ['replay', {}],
    ['cancel', {}],
  ] as const)('a %s that is asked for while it is called off is another operation (%j)', async (kind, range) => {
    const body = kind === 'cancel' ? range : { since: hoursAgo(2), ...range };
    const { operation_id: one } = (await ask(kind, body)).body;
    let again!: ReturnType<typeof ask>;
    await app.em().transactional(async (em) => {
      const ended = { state: 'ended', finished_at: now() };
      await storedReplays.change({ em: () => em }, { organization_id: tenant.organizationId }, ended);
      again = ask(kind, body);
      await waitFor('the request behind the end of the operation', () => waitsForLock(app));
    });
    const { status, body: reply } = await again;
    expect(status).toBe(202);
    expect(reply.operation_id).not.toBe(one);
    expect((await replays()).map(({ state }) => state).toSorted()).toEqual(['ended', 'open']);
  });

  test('with an Idempotency-Key the first reply comes once more', async () => {
    const headers = { 'idempotency-key': uuidv7() };
    const body = { since: hoursAgo(2) };
    const first = await ask('recover', body, { headers });
    const second = await ask('recover', body, { headers });
    expect([second.body, second.headers.get('idempotent-replayed')]).toEqual([first.body, 'true']);
    expect(second.headers.get('location')).toBe(first.headers.get('location'));
  });

  test('an endpoint that listens by wildcard: the types it stands for', async () => {
    await storedEndpoints.change(app, endpointId, { event_types: ['message.*'] });
    const { body } = await ask('replay', { since: hoursAgo(1) });
    expect(body.event_types).toEqual(expect.arrayContaining(['message.new', 'message.sent', 'message.failed']));
    for (const type of body.event_types) expect(type).toMatch(/^message\./);
  });

  const present = Date.now();
  test.each([
    ['since in the future', 'recover', { since: new Date(present + 3_600_000) }, 'since'],
    ['since before what is kept', 'recover', { since: hoursAgo(32 * 24) }, 'since'],
    ['a time without its zone', 'recover', { since: hoursAgo(1).slice(0, -1) }, 'since'],
    ['since before what is kept', 'replay', { since: '2020-01-01T00:00:00Z' }, 'since'],
    ['until in the future', 'recover', { since: hoursAgo(1), until: new Date(present + 3_600_000) }, 'until'],
    ['until before since', 'replay', { since: hoursAgo(1), until: hoursAgo(2) }, 'until'],
    ['until is since', 'recover', { since: new Date(present - 3_600_000), until: new Date(present - 3_600_000) }, 'until'],
    ['no since', 'recover', {}, 'since'],
    ['a time that is none', 'recover', { since: 'yesterday' }, 'since'],
    ['an unknown type', 'replay', { since: hoursAgo(1), event_types: ['message.sent', 'no.such'] }, 'event_types[1]'],
    ['a type that is a test', 'replay', { since: hoursAgo(1), event_types: ['webhook.test'] }, 'event_types[0]'],
    ['a wildcard of tests alone', 'replay', { since: hoursAgo(1), event_types: ['webhook.*'] }, 'event_types[0]'],
    ['a wildcard that matches no type', 'replay', { since: hoursAgo(1), event_types: ['mess*'] }, 'event_types[0]'],
    ['no type', 'replay', { since: hoursAgo(1), event_types: [] }, 'event_types'],
    ['until in the future', 'cancel', { until: new Date(present + 3_600_000) }, 'until'],
    ['an unknown field', 'cancel', { types: ['message.sent'] }, 'types'],
  ] as const)('%s (%s): 422 that names the field, and nothing is changed', async (_what, kind, body, field) => {
    const { status, body: error } = await ask(kind, body);
    expect([status, error.error.details[0].field]).toEqual([422, field]);
    expect(await replays()).toEqual([]);
  });

  test('of another organization, or of nobody: 404, and nothing is changed', async () => {
    const stranger = await app.organization();
    for (const what of ['recover', 'replay', 'cancel'] as const) {
      const body = what === 'cancel' ? {} : { since: hoursAgo(1) };
      expect((await ask(what, body, { key: stranger.key })).status).toBe(404);
      expect((await ask(what, body, { id: uuidv7() })).status).toBe(404);
    }
    expect(await replays()).toEqual([]);
  });

  test('of a deleted endpoint: 404, and nothing is changed', async () => {
    await app.call('webhooks.endpoints.delete', { key: tenant.key, params: { endpointID: endpointId } });
    for (const what of ['recover', 'replay', 'cancel'] as const)
      expect((await ask(what, what === 'cancel' ? {} : { since: hoursAgo(1) })).status).toBe(404);
    expect(await replays()).toEqual([]);
  });

  test('replay without types of an endpoint that listens to tests alone: 422, and nothing is changed', async () => {
    const id = await listen({ event_types: ['webhook.test'] });
    const { status, body } = await ask('replay', { since: hoursAgo(1) }, { id });
    expect(status).toBe(422);
    expect(body.error.details[0].field).toBe('event_types');
    expect(await replays()).toEqual([]);
    expect((await ask('replay', { since: hoursAgo(1), event_types: ['message.*'] }, { id })).status).toBe(202);
  });

  test(`at most ${maxOpenReplays} of an organization are open at once`, async () => {
    for (let index = 1; index <= maxOpenReplays; index += 1)
      expect((await ask('recover', { since: hoursAgo(index) })).status).toBe(202);
    const { status, body } = await ask('recover', { since: hoursAgo(100) });
    expect([status, body.error.code]).toEqual([422, 'limit_reached']);
    expect((await ask('recover', { since: (await replays())[0].since })).status).toBe(202);
  });

  test('of requests for several endpoints at once none exceeds this', async () => {
    const others = [endpointId, await listen(), await listen(), await listen()];
    for (let index = 2; index <= maxOpenReplays; index += 1)
      expect((await ask('recover', { since: hoursAgo(index) })).status).toBe(202);
    const replies = await Promise.all(others.map((id) => ask('recover', { since: hoursAgo(1) }, { id })));
    expect(replies.map(({ status }) => status).toSorted()).toEqual([202, 422, 422, 422]);
    expect(await replays()).toHaveLength(maxOpenReplays);
  });

  test('until a time before all events, or types named twice: nothing to do, or once each', async () => {
    expect((await ask('cancel', { until: '1001-01-01T00:00:00Z' })).status).toBe(202);
    const { body } = await ask('replay', { since: hoursAgo(1), event_types: ['message.sent', 'message.*', 'message.sent'] });
    expect(new Set(body.event_types).size).toBe(body.event_types.length);
  });
});

describe('with workers', () => {
  const busy = useApp({ workers: true, env: { WEBHOOK_REPLAYS_PER_SECOND: '10000', BULK_TIME_SHARE: '1' } });
  let receiver: Receiver;
  beforeAll(async () => {
    receiver = await startReceiver();
  });
  afterAll(() => receiver.close());

  test('a recover of 1,000 delivers each once, with the ids the receiver knows', async () => {
    const { organizationId, key } = busy.tenant;
    const { body } = await busy.call('webhooks.endpoints.create', {
      key,
      body: { url: receiver.url, event_types: ['message.sent'] },
    });
    const sql = <Row>(text: string, params?: unknown[]) => busy.rows<Row>(text, params);
    const failed = await deliveries(sql, { organizationId, endpointId: body.id }, { count: 1_000 });
    const asked = await busy.call('webhooks.endpoints.recover', {
      params: { endpointID: body.id },
      body: { since: hoursAgo(1) },
      headers: { prefer: 'wait=30' },
    });
    expect(asked.status).toBe(202);
    const operationID = asked.body.operation_id;
    await waitFor('the operation', async () => {
      const { body: operation } = await busy.call('operations.get', { params: { operationID } });
      return operation.status === 'succeeded' && operation.progress.done === 1_000;
    });
    await busy.idle();
    const events = await storedDeliveries.all(busy, failed, { columns: ['event_id'] });
    const got = receiver.received.map(({ headers }) => headers['webhook-id']);
    expect(got.toSorted()).toEqual(events.map(({ event_id }) => event_id).toSorted());
    const states = await busy.rows('select state, count(*)::int as n from webhook_deliveries where endpoint_id = $1 group by 1', [
      body.id,
    ]);
    expect(states).toEqual([{ state: 'succeeded', n: 1_000 }]);
  });
});
