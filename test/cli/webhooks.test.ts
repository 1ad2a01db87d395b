import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { uuidv7 } from '../../src/platform/ids.ts';
import { deliveries } from '../support/factories/deliveries.ts';
import { endpoint } from '../support/factories/endpoint.ts';
import { type House, openHouse } from '../support/house.ts';
import { auditRows } from '../support/work/events.ts';
import { jobRows } from '../support/work/jobs.ts';
import { ago, rightNow } from '../support/work/rows.ts';
import { deliveryRows, endpointRows, replayRows } from '../support/work/webhooks.ts';
import { inProcessOn } from './in-process.ts';

let house: House;
let kanal: ReturnType<typeof inProcessOn>;
let endpointId: string;

beforeAll(async () => {
  house = await openHouse();
  kanal = inProcessOn(house.url);
});
afterAll(() => house.close());
beforeEach(async () => {
  await house.reset('webhook_endpoints', 'events', 'audit_log');
  endpointId = (await endpoint(house.ledger.transact, house.organizationId)).id;
});

const make = (given: Parameters<typeof deliveries>[2]) =>
  deliveries(house.sql, { organizationId: house.organizationId, endpointId }, given);
const acts = () =>
  auditRows.all(house, { organization_id: { $ne: null } }, ['organization_id', 'actor', 'action', 'subject', 'details'], {
    id: 'asc',
  });
const stateOf = async (id: string) => (await jobRows.one(house, id)).state;

test('deliveries are tried once more, each in its line, and who asked is on record', async () => {
  const [failed] = await make({});
  const nobodys = uuidv7();
  const { code, stdout, stderr } = await kanal('webhooks', 'replay', failed!, nobodys);
  expect({ code, stdout, stderr }).toEqual({
    code: 1,
    stdout: `Delivery ${failed} is tried now\n`,
    stderr: `${nobodys}: Webhook delivery not found\n`,
  });
  expect(await deliveryRows.all(house, {}, ['state'])).toEqual([{ state: 'pending' }]);
  expect(await acts()).toEqual([
    {
      organization_id: house.organizationId,
      actor: 'cli',
      action: 'webhooks.deliveries.replay',
      subject: `webhook_delivery:${failed}`,
      details: { endpoint_id: endpointId },
    },
  ]);
});

test.each([
  [['webhooks', 'recover'], ['--since', '6h'], 'webhooks.recover', 'webhooks.endpoints.recover'],
  [
    ['webhooks', 'replay-all'],
    ['--since', '2d', '--until', '1h', '--types', 'message.sent'],
    'webhooks.replay',
    'webhooks.endpoints.replay',
  ],
  [['webhooks', 'replay-all'], ['--since', '2d', '--types', 'message.*'], 'webhooks.replay', 'webhooks.endpoints.replay'],
  [['webhooks', 'cancel'], [], 'webhooks.cancel', 'webhooks.endpoints.cancel'],
])(
  '%j prints the id of its operation, which can be shown, paused, resumed and called off',
  async (words, options, job, action) => {
    const { code, stdout, stderr } = await kanal(...words, endpointId, ...options);
    const id = stdout.trim();
    expect([code, stderr]).toEqual([0, `See how far it is: kanal operations show ${id}\n`]);
    expect((await kanal('operations', 'show', id)).stdout).toMatch(new RegExp(`^${id}  ${job}, queued, asked for .*Z\n$`));
    expect((await kanal('operations', 'list', house.organizationId)).stdout).toMatch(new RegExp(`^${id}  ${job} +queued`, 'm'));
    expect((await kanal('operations', 'pause', id)).stdout).toBe(`Operation ${id} is paused\n`);
    expect(await stateOf(id)).toBe('paused');
    expect((await kanal('operations', 'resume', id)).stdout).toBe(`Operation ${id} goes on\n`);
    expect((await kanal('operations', 'cancel', id)).stdout).toBe(`Operation ${id} is called off\n`);
    expect((await kanal('operations', 'cancel', id)).stdout).toBe(`Operation ${id} was called off before: nothing to do\n`);
    expect((await kanal('operations', 'show', id)).stdout).toContain('cancelled');
    expect(await acts()).toMatchObject([
      { action, subject: `webhook_endpoint:${endpointId}`, details: { operation_id: id } },
      ...['pause', 'resume', 'cancel'].map((what) => ({
        action: `operations.${what}`,
        subject: `operation:${id}`,
        actor: 'cli',
      })),
    ]);
  },
);

test('asked twice it is the same operation', async () => {
  const asked = () =>
    kanal(
      'webhooks',
      'recover',
      endpointId,
      '--since',
      new Date(Date.now() - 3_600_000).toISOString().slice(0, 13).concat(':00:00Z'),
    );
  const [first, second] = [await asked(), await asked()];
  expect([second.code, second.stdout]).toEqual([0, first.stdout]);
  expect(second.stderr).toContain('was asked for before');
});

test('asked again while it is paused, the line says so and how it goes on', async () => {
  const asked = () => kanal('webhooks', 'cancel', endpointId);
  const id = (await asked()).stdout.trim();
  await kanal('operations', 'pause', id);
  const { code, stdout, stderr } = await asked();
  expect([code, stdout]).toEqual([0, `${id}\n`]);
  expect(stderr).toBe(`It was asked for before and is paused: kanal operations resume ${id}\n`);
});

test.each([
  ['no time', ['recover', '--since', 'yesterday'], 'is not a time'],
  ['no since', ['recover'], '--since'],
  ['a time in the future', ['recover', '--since', '2999-01-01'], 'since is in the future'],
  ['a time before what is kept', ['replay-all', '--since', '400d'], 'Events are kept for 30 days'],
  ['an unknown type', ['replay-all', '--since', '1h', '--types', 'no.such'], 'Not an event type: no.such'],
])('%s is refused in a line, and nothing is changed', async (_what, [name, ...options], message) => {
  const { code, stdout, stderr } = await kanal('webhooks', name!, endpointId, ...options);
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toContain(message);
  expect(await acts()).toEqual([]);
  expect(await replayRows.count(house)).toBe(0);
});

describe('endpoints', () => {
  const listed = async () => JSON.parse((await kanal('webhooks', 'endpoints', '--json')).stdout);

  test('in order: nothing to list', async () => {
    await make({ state: 'succeeded' });
    await make({ state: 'later' });
    await make({ state: 'failed', isTest: true });
    expect(await listed()).toEqual([]);
    expect((await kanal('webhooks', 'endpoints')).stdout).toMatch(/^Every webhook endpoint is enabled/);
  });

  test.each([
    ['disabled', () => endpointRows.change(house, {}, { enabled: false, disabled_reason: 'gone' }), 'disabled, gone'],
    ['failing', () => endpointRows.change(house, {}, { failing_since: rightNow() }), 'failing'],
  ])('one that is %s is listed by its host alone', async (_what, happen, shown) => {
    await happen();
    const { url } = (await endpointRows.all(house, {}, ['url']))[0]!;
    expect(await listed()).toMatchObject([{ id: endpointId, organization_id: house.organizationId, host: new URL(url).host }]);
    const { stdout } = await kanal('webhooks', 'endpoints');
    expect(stdout).toContain(shown);
    expect(stdout).not.toContain(url);
  });

  test('with overdue and failed deliveries is listed with their numbers; a deleted one is not', async () => {
    await make({ state: 'failed', count: 2 });
    await make({ state: 'waiting', count: 3 });
    await deliveryRows.change(house, { state: 'pending' }, { next_attempt_at: ago('1 hour') });
    expect(await listed()).toMatchObject([
      { pending: 3, overdue_since_at: expect.any(String), failed: 2, last_failed_at: expect.any(String), enabled: true },
    ]);
    await endpointRows.change(house, {}, { deleted_at: rightNow() });
    expect(await listed()).toEqual([]);
  });
});

describe('many endpoints', () => {
  const listed = async (...options: string[]) => {
    const { stdout, stderr } = await kanal('webhooks', 'endpoints', '--json', ...options);
    return { ids: JSON.parse(stdout).map(({ id }: { id: string }) => id), stderr };
  };
  let failingId: string;

  beforeEach(async () => {
    failingId = (await endpoint(house.ledger.transact, house.organizationId)).id;
    await make({ state: 'waiting' });
    await deliveryRows.change(house, {}, { next_attempt_at: ago('40 days') });
    await endpointRows.change(house, endpointId, { enabled: false });
    await endpointRows.change(house, failingId, { failing_since: rightNow() });
  });

  test('a disabled one comes last, however long its deliveries have waited', async () => {
    expect(await listed()).toEqual({ ids: [failingId, endpointId], stderr: '' });
  });

  test('more than the limit: says so, and how to see them', async () => {
    const { ids, stderr } = await listed('--limit', '1');
    expect(ids).toEqual([failingId]);
    expect(stderr).toBe('These are the first 1, and there are more: --limit, --organization\n');
    expect((await kanal('webhooks', 'endpoints', '--limit', '1')).stderr).toBe(stderr);
  });

  test('of one organization', async () => {
    expect((await listed('--organization', house.organizationId)).ids).toEqual([failingId, endpointId]);
    const nobodys = await kanal('webhooks', 'endpoints', '--organization', uuidv7());
    expect(nobodys).toEqual({ code: 1, stdout: '', stderr: 'Organization not found\n' });
  });

  test.each(['0', '1001', 'all'])('a limit of %s is refused', async (limit) => {
    const { code, stderr } = await kanal('webhooks', 'endpoints', '--limit', limit);
    expect([code, stderr]).toEqual([1, 'The limit must be a whole number from 1 to 1000\n']);
  });
});

test('an endpoint or operation of nobody is refused', async () => {
  const id = uuidv7();
  expect((await kanal('webhooks', 'recover', id, '--since', '1h')).stderr).toBe('Webhook endpoint not found\n');
  expect((await kanal('operations', 'cancel', id)).stderr).toBe(`${id}: Operation not found\n`);
  expect((await kanal('operations', 'show', 'kk_secret')).stderr).toBe('That is not the id of an operation\n');
});
