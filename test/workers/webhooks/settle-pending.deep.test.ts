import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { checkJobs } from '../../../src/platform/ledger/check.ts';
import { endpointPool, holdPool, poolOf } from '../../../src/platform/ledger/pools.ts';
import { retryJob } from '../../../src/platform/ledger/retry.ts';
import { type Channel, type Reply, type Tenant, useApp } from '../../support/app.ts';
import { bodyFor, inboundFrom } from '../../support/provider-body.ts';
import { type Receiver, startReceiver } from '../../support/receiver.ts';
import { waitFor } from '../../support/wait-for.ts';
import { holdForever, jobRows, makeDue, poolRows, releasePool, secondsUntilRun } from '../../support/work/jobs.ts';
import { messageRows } from '../../support/work/messages.ts';
import { providerWebhookRows } from '../../support/work/provider-webhooks.ts';
import { ahead, movedBack, rightNow } from '../../support/work/rows.ts';
import { attemptRows, deliveryRows, deliveryStates, endpointRows, jobsOfDeliveries } from '../../support/work/webhooks.ts';

const app = useApp({ workers: true });
let receiver: Receiver;
let tenant: Tenant;
let channel: Channel;

beforeEach(async () => {
  receiver = await startReceiver();
  tenant = await app.organization();
  channel = await app.connect({ tenant });
  await app.idle();
});
afterEach(async () => {
  expect(await checkJobs(app.web.deps.database)).toEqual([]);
  await receiver.close();
});

const listen = async (more: object = {}): Promise<string> =>
  (
    await app.call('webhooks.endpoints.create', {
      key: tenant.key,
      body: { url: receiver.url, event_types: ['message.new'], ...more },
    })
  ).body.id;
const on = (operation: string, id: string, body?: object, headers?: Record<string, string>) =>
  app.call(`webhooks.endpoints.${operation}`, { key: tenant.key, params: { endpointID: id }, body, headers });
const disable = (id: string, held?: string) => on('disable', id, held === undefined ? undefined : { held });
const enable = (id: string, held?: string) => on('enable', id, held === undefined ? undefined : { held });

/** Applied before the next is written. Returns the text, by which the receiver's bodies are known. */
async function write(phone = app.phone()): Promise<string> {
  const body = inboundFrom(phone, { text: { body: 'hi' } });
  await app.webhook(bodyFor(channel, body));
  const providerId = body.messages[0]!.id;
  const [row] = await waitFor('the message', async () => {
    const rows = await messageRows.all(app, { provider_message_id: providerId }, ['id']);
    return rows.length > 0 && rows;
  });
  return row!.id;
}
const writeSeveral = async (count: number, phone?: string) => {
  const ids: string[] = [];
  for (let index = 0; index < count; index += 1) ids.push(await write(phone));
  return ids;
};
const got = () => receiver.ofType('message.new').map(({ body }) => body.data.message_id);
const states = (id: string) => deliveryStates(app, id);
const jobsOf = (id: string) => jobsOfDeliveries(app, id);
const done = (reply: Reply) =>
  waitFor('the operation', async () => {
    const operation = await app.call('operations.get', {
      key: tenant.key,
      params: { operationID: reply.headers.get('operation-id')! },
    });
    return operation.body.status === 'succeeded' && operation.body;
  });
/** The retry of a delivery that was refused once, put an hour away. */
async function refusedOnce(id: string) {
  receiver.answer({ status: 500 });
  await write();
  await waitFor('the first attempt', async () => (await jobsOf(id))[0]?.attempts === 1);
  receiver.answer({});
  const later = ahead('1 hour');
  for (const job of await jobsOf(id)) await jobRows.change(app, job.id, { run_at: later, check_at: later });
  await deliveryRows.change(app, { endpoint_id: id }, { next_attempt_at: later });
}

describe('kept', () => {
  test('nothing arrives while it is disabled; enabled, all of it does, in order', async () => {
    const id = await listen({ ordering: 'per_subject' });
    const disabled = await disable(id);
    expect(disabled.body).toMatchObject({ enabled: false, disabled_reason: 'manual', disabled_at: expect.any(String) });
    expect(disabled.headers.get('operation-id')).toBeNull();
    const ids = await writeSeveral(3, app.phone());
    expect(await states(id)).toEqual({ pending: 3 });
    expect((await jobsOf(id)).map(({ state }) => state)).toEqual(['waiting', 'blocked', 'blocked']);
    const enabled = await enable(id);
    expect(enabled.body).toMatchObject({ enabled: true, disabled_reason: null, disabled_at: null });
    await waitFor('the kept ones', () => got().length === 3);
    expect(got()).toEqual(ids);
  });

  test('a later attempt keeps its time', async () => {
    const id = await listen();
    await refusedOnce(id);
    await disable(id);
    const [held] = await writeSeveral(1);
    await enable(id, 'keep');
    await waitFor('what was held', () => got().includes(held));
    // Its receiver has it a moment before its job is over.
    const jobs = await waitFor('the end of that one', async () => {
      const left = await jobsOf(id);
      return left.length === 1 && left;
    });
    expect(jobs).toMatchObject([{ state: 'queued', attempts: 1 }]);
    expect(await secondsUntilRun(app, jobs[0]!.id)).toBeGreaterThan(3_000);
  });

  test('the other endpoints are told; asked again, nothing more happens', async () => {
    const id = await listen();
    await listen({ event_types: ['endpoint.*'] });
    await disable(id);
    const first = (await on('get', id)).body;
    await disable(id);
    await waitFor('the word to the others', () => receiver.ofType('endpoint.disabled').length > 0);
    expect(receiver.ofType('endpoint.disabled').map(({ body }) => body.data)).toEqual([
      { endpoint_id: id, reason: 'manual', organization_id: tenant.organizationId },
    ]);
    expect((await on('get', id)).body).toEqual(first);
    await enable(id);
    const enabled = (await on('get', id)).body;
    expect((await enable(id, 'drop')).body).toEqual(enabled);
  });
});

describe('dropped', () => {
  test('at enable: what was held is cancelled and never sent; what comes then is delivered', async () => {
    const id = await listen({ ordering: 'per_subject' });
    await disable(id);
    const phone = app.phone();
    await writeSeveral(4, phone);
    const reply = await enable(id, 'drop');
    const next = await write(phone);
    expect(await done(reply)).toMatchObject({ name: 'webhooks.cancel-pending', subject: { type: 'webhook_endpoint', id } });
    await waitFor('the next', () => got().length > 0);
    await app.idle();
    expect(got()).toEqual([next]);
    expect(await states(id)).toEqual({ cancelled: 4, succeeded: 1 });
    for (const delivery of await deliveryRows.all(app, { endpoint_id: id, state: 'cancelled' })) {
      expect(delivery.next_attempt_at).toBeNull();
      expect(delivery.finished_at).not.toBeNull();
    }
  });

  test('with Prefer: wait the reply comes when all are cancelled', async () => {
    const id = await listen();
    await disable(id);
    await writeSeveral(3);
    const reply = await on('enable', id, { held: 'drop' }, { prefer: 'wait=20' });
    expect([reply.status, reply.headers.get('preference-applied')]).toEqual([200, 'wait=20']);
    expect(await states(id)).toEqual({ cancelled: 3 });
  });

  test('at disable: what waits for a later attempt too; a request under way ends as it ends, and is logged', async () => {
    const id = await listen();
    await refusedOnce(id);
    let answer: () => void = () => undefined;
    const after = new Promise<void>((resolve) => {
      answer = resolve;
    });
    receiver.answer({ after });
    const underWay = await write();
    await waitFor('the request', () => got().includes(underWay));
    const reply = await disable(id, 'drop');
    await waitFor('the retry to be cancelled', async () => (await states(id)).cancelled === 1);
    expect(await states(id)).toEqual({ cancelled: 1, pending: 1 });
    answer();
    const operation = await done(reply);
    expect(operation.progress.deliveries).toBe(1);
    expect(await states(id)).toEqual({ cancelled: 1, succeeded: 1 });
    expect(await attemptRows.count(app, { endpoint_id: id })).toBe(2);
  });

  test('at enable, while what was released before is still under way: none of what was held gets away', async () => {
    const id = await listen();
    let answer: () => void = () => undefined;
    const after = new Promise<void>((resolve) => {
      answer = resolve;
    });
    receiver.answer({ after }, {});
    const underWay = await write();
    await waitFor('the request', () => got().includes(underWay));
    const released = await disable(id, 'release');
    await writeSeveral(3);
    const enabled = await enable(id, 'drop');
    answer();
    await done(released);
    await done(enabled);
    await app.idle();
    expect(got()).toEqual([underWay]);
    expect(await states(id)).toEqual({ succeeded: 1, cancelled: 3 });
    const next = await write();
    await waitFor('the next', () => got().includes(next));
  });

  test('at disable, then enabled at once: none of it gets away', async () => {
    const id = await listen();
    await disable(id);
    await writeSeveral(3);
    const [dropped, enabled] = [await disable(id, 'drop'), await enable(id)];
    expect(enabled.status).toBe(200);
    await done(dropped);
    const next = await write();
    await waitFor('the next', () => got().length > 0);
    expect(got()).toEqual([next]);
    expect((await states(id)).cancelled).toBe(3);
  });
});

test('a test that has not begun says that it was cancelled', async () => {
  const id = await listen();
  await holdPool(app.em(), poolOf(tenant.organizationId, endpointPool(id)), null);
  const asked = await on('test', id);
  await done(await disable(id, 'drop'));
  const operationID = asked.headers.get('operation-id')!;
  const { body } = await app.call('operations.get', { key: tenant.key, params: { operationID } });
  expect(body).toMatchObject({ status: 'cancelled', error: { code: 'cancelled' } });
  expect(await states(id)).toEqual({ cancelled: 1 });
});

describe('released', () => {
  test('at enable: what waits for a later attempt goes now', async () => {
    const id = await listen();
    await refusedOnce(id);
    await disable(id);
    await done(await enable(id, 'release'));
    await waitFor('the retry', () => got().length === 2);
    await waitFor('its end', async () => (await states(id)).succeeded === 1);
  });

  test('at disable: what was accepted is still delivered, at its pace; what comes then is held', async () => {
    const id = await listen({ ordering: 'per_subject', rate_limit: 50 });
    await disable(id);
    const phone = app.phone();
    const accepted = await writeSeveral(3, phone);
    const released = await disable(id, 'release');
    expect(released.body.enabled).toBe(false);
    await waitFor('the accepted ones', () => got().length === 3);
    expect(got()).toEqual(accepted);
    const held = await writeSeveral(2, phone);
    await done(released);
    expect(await states(id)).toEqual({ succeeded: 3, pending: 2 });
    expect((await poolRows.one(app, `endpoint:${id}:drain`, ['rate', 'width'])).rate).toBe(50);
    await enable(id);
    await waitFor('the held ones', () => got().length === 5);
    expect(got()).toEqual([...accepted, ...held]);
    await app.idle();
  });

  test('what was still to drain comes back to the pool of the endpoint when it is enabled', async () => {
    const id = await listen();
    await refusedOnce(id);
    await done(await disable(id, 'release'));
    expect((await jobsOf(id)).map(({ pool }) => pool)).toEqual([`endpoint:${id}:drain`]);
    await on('update', id, { rate_limit: 3 });
    expect(await poolRows.all(app, { id: { $like: `endpoint:${id}%` } }, ['rate'])).toEqual([{ rate: 3 }, { rate: 3 }]);
    const enabled = await enable(id);
    await done(enabled);
    const jobs = await jobsOf(id);
    expect(jobs).toMatchObject([{ pool: `endpoint:${id}`, attempts: 1 }]);
    expect(await secondsUntilRun(app, jobs[0]!.id)).toBeGreaterThan(3_000);
  });
});

test.each(['keep', 'release'])(
  'released, then enabled with %s: the other pool is held until what was under way in it has come back',
  async (held) => {
    const id = await listen();
    let answer: () => void = () => undefined;
    const after = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const pools = async () => {
      const rows = await poolRows.all(app, { id: { $like: `endpoint:${id}%` } }, ['held_until'], { id: 'asc' });
      return rows.map(({ held_until: until }) => until === 'infinity' || (until !== null && Date.parse(until) > Date.now()));
    };
    await disable(id);
    const [underWay] = await writeSeveral(1);
    receiver.answer({ after, status: 500 }, {});
    await disable(id, 'release');
    await waitFor('the request', () => got().includes(underWay));
    const [later] = await writeSeveral(1);
    await enable(id, held);
    await waitFor('what was held', () => got().includes(later));
    expect(await pools()).toEqual([false, true]);
    answer();
    await waitFor('the other pool to be let go', async () => !(await pools())[1]);
    expect((await jobsOf(id)).filter(({ pool }) => pool!.endsWith(':drain'))).toEqual([]);
    await waitFor('both', async () => (await states(id)).succeeded === 2);
    await app.idle();
  },
);

describe('deleted', () => {
  test('what waits is cancelled, what was delivered can still be read, and events go on', async () => {
    const id = await listen({ ordering: 'per_subject' });
    const phone = app.phone();
    await write(phone);
    await waitFor('the first', async () => (await states(id)).succeeded === 1);
    await disable(id);
    await writeSeveral(2, phone);
    await on('delete', id);
    await waitFor('the end of what waits', async () => (await states(id)).cancelled === 2);
    await write(phone);
    expect(await states(id)).toEqual({ succeeded: 1, cancelled: 2 });
    expect(got()).toHaveLength(1);
    expect((await jobsOf(id)).length).toBe(0);
  });

  test('beside emits: none of them fails, and nothing is left that waits for ever', async () => {
    const id = await listen({ event_types: ['*'] });
    receiver.answer({ delayMs: 30 });
    const phones = Array.from({ length: 20 }, () => app.phone());
    const writes = phones.map((phone) => app.webhook(bodyFor(channel, inboundFrom(phone, { text: { body: 'hi' } }))));
    await waitFor('some to arrive', () => receiver.received.length > 3);
    await on('delete', id);
    expect((await Promise.all(writes)).map(({ status }) => status)).toEqual(Array(20).fill(200));
    await waitFor('all messages', async () => {
      const n = await messageRows.count(app, { organization_id: tenant.organizationId });
      return n === 20;
    });
    // The body of the last message is marked a moment after the message.
    await waitFor('every body to be applied', async () => {
      const others = { organization_id: tenant.organizationId, state: { $ne: 'applied' as const } };
      return (await providerWebhookRows.count(app, others)) === 0;
    });
    await endOfLateEvents(id);
    await waitFor('every delivery to end', async () => (await states(id)).pending === undefined);
  });

  test('one without a delivery leaves nothing behind', async () => {
    const id = await listen();
    await on('delete', id);
    expect(await endpointRows.count(app, id)).toBe(1);
    await endOfLateEvents(id);
    await waitFor('its row to go', async () => (await endpointRows.count(app, id)) === 0);
    expect(await poolRows.all(app, { id: { $like: `endpoint:${id}%` } }, ['id'])).toEqual([]);
  });

  test('a failed delivery of it cannot be tried again', async () => {
    const id = await listen();
    await disable(id);
    await write();
    await deliveryRows.change(app, { endpoint_id: id }, { state: 'failed' });
    const [job] = await jobsOf(id);
    await jobRows.change(app, job!.id, { state: 'failed' });
    await on('delete', id);
    await expect(retryJob(app.web.deps.ledger.transact, job!.id)).rejects.toMatchObject({ code: 'conflict' });
    expect(await states(id)).toEqual({ failed: 1 });
  });

  /** As if a minute had passed since it was deleted: its job need not wait for that. */
  async function endOfLateEvents(id: string) {
    const job = () => jobRows.one(app, { subject_id: id, name: 'webhooks.cancel-pending' }, ['id', 'state', 'progress']);
    await waitFor('the first look', async () => (await job()).progress !== null);
    await endpointRows.change(app, id, { deleted_at: movedBack('deleted_at', '2 min') });
    await waitFor('the last look', async () => {
      await makeDue(app, { id: (await job()).id, state: 'queued', run_at: { $gt: ahead('5 s') } });
      return (await job()).state === 'done';
    });
  }
});

test('disabled and enabled again and again beside running deliveries, every event arrives', async () => {
  const id = await listen();
  receiver.answer({ delayMs: 20 });
  const ids: string[] = [];
  for (let round = 0; round < 5; round += 1) {
    ids.push(...(await writeSeveral(2)));
    await disable(id);
    ids.push(...(await writeSeveral(1)));
    await enable(id, round % 2 === 0 ? 'keep' : 'release');
  }
  await waitFor('every event', () => new Set(got()).size === ids.length);
  await waitFor('every end', async () => (await states(id)).succeeded === ids.length);
});

test.each([{ held: 'later' }, { held: null }, { other: 1 }])('%j: 422', async (body) => {
  const id = await listen();
  for (const operation of ['disable', 'enable']) expect((await on(operation, id, body)).status).toBe(422);
  expect((await on('get', id)).body.enabled).toBe(true);
});

test('a run that begins while its endpoint is deleted sends nothing, and is cancelled with the rest', async () => {
  const id = await listen();
  await disable(id);
  await write();
  await on('delete', id);
  await waitFor('the first look', async () => (await states(id)).cancelled === 1);
  // As if the deletion had come between the look of the run and its claim: the pool was not held for it.
  await releasePool(app, `endpoint:${id}`);
  const { id: deliveryId } = await deliveryRows.one(app, { endpoint_id: id });
  await deliveryRows.change(app, deliveryId, { state: 'pending' });
  await jobRows.add(app, {
    organization_id: tenant.organizationId,
    name: 'webhooks.deliver',
    queue: 'webhooks',
    payload: { delivery_id: deliveryId },
    subject_type: 'webhook_delivery',
    subject_id: deliveryId,
    pool: `endpoint:${id}`,
    state: 'waiting',
    check_at: rightNow(),
  });
  const putOff = await waitFor('the run to be put off', async () => {
    const job = await app.jobOf(deliveryId);
    return job?.state === 'queued' && job.slot_at === null && job;
  });
  expect(putOff.attempts).toBe(0);
  expect(receiver.received).toEqual([]);
  await holdForever(app, `endpoint:${id}`);
  await makeDue(app, { subject_id: id, name: 'webhooks.cancel-pending' });
  await waitFor('the next look', async () => (await states(id)).cancelled === 1);
  expect(receiver.received).toEqual([]);
});
