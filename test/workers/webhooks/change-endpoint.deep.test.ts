import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { checkJobs } from '../../../src/platform/ledger/check.ts';
import { useApp } from '../../support/app.ts';
import { type Receiver, startReceiver } from '../../support/receiver.ts';
import { type Subscriber, subscriber } from '../../support/subscriber.ts';
import { waitFor } from '../../support/wait-for.ts';
import { jobRows } from '../../support/work/jobs.ts';
import { attemptRows, deliveryRows } from '../../support/work/webhooks.ts';

const app = useApp({ workers: true });
let { receiver, tenant, channel, subscribe, receiveText } = {} as Subscriber;
let id: string;

beforeEach(async () => {
  ({ receiver, tenant, channel, subscribe, receiveText } = await subscriber(app));
});
afterEach(async () => {
  expect(await checkJobs(app.web.deps.database)).toEqual([]);
  await receiver.close();
});

const on = (operation: string, body?: object) =>
  app.call(`webhooks.endpoints.${operation}`, { key: tenant.key, params: { endpointID: id }, body });
const listen = async (more: object = {}) => {
  id = (await subscribe(more)).id;
};
/** Returns the ids of the messages. */
async function write(count: number, phone = app.phone()): Promise<string[]> {
  const ids: string[] = [];
  for (let index = 0; index < count; index += 1) ids.push(await receiveText(phone));
  return ids;
}
const got = ({ ofType }: Receiver) => ofType('message.new').map(({ body }) => body.data.message_id);
const lanes = async () => {
  const rows = await jobRows.all(app, { pool: `endpoint:${id}` }, ['lane', 'state'], { seq: 'asc' });
  return rows.map(({ lane, state }) => `${lane === null ? 'alone' : 'in a lane'}, ${state}`);
};

test('what waits goes to the new url with the new headers', async () => {
  const other = await startReceiver();
  try {
    await listen({ headers: { 'X-Own': 'old', 'X-Stays': 'same' } });
    await on('disable');
    const ids = await write(2);
    await on('update', { url: other.url, headers: { 'x-own': 'new' } });
    await on('enable');
    await waitFor('both', () => got(other).length === 2);
    expect(got(other).sort()).toEqual(ids.sort());
    for (const { headers } of other.received) expect(headers).toMatchObject({ 'x-own': 'new', 'x-stays': 'same' });
    expect(receiver.received).toEqual([]);
    await app.idle();
  } finally {
    await other.close();
  }
});

test('a 410 of the old url does not disable the endpoint at its new one', async () => {
  const other = await startReceiver();
  try {
    await listen();
    const answered = Promise.withResolvers<void>();
    receiver.answer({ status: 410, after: answered.promise });
    const [message] = await write(1);
    await waitFor('the request', () => receiver.received.length === 1);
    await on('update', { url: other.url });
    answered.resolve();
    const attempted = () => attemptRows.all(app, { endpoint_id: id }, ['status']);
    await waitFor('the attempt', async () => (await attempted()).length === 1);
    expect((await on('get')).body).toMatchObject({ enabled: true, disabled_reason: null });
    await waitFor('the next attempt', () => got(other).length === 1, 20_000);
    expect(got(other)).toEqual([message]);
    await app.idle();
  } finally {
    await other.close();
  }
});

test('without an order any more: what stands in a lane arrives in order, and what comes then waits for nobody', async () => {
  await listen({ ordering: 'per_subject' });
  await on('disable');
  const phone = app.phone();
  const ordered = await write(3, phone);
  await on('update', { ordering: 'best_effort' });
  await write(1, phone);
  expect(await lanes()).toEqual(['in a lane, waiting', 'in a lane, blocked', 'in a lane, blocked', 'alone, waiting']);
  await on('enable');
  await waitFor('all', () => got(receiver).length === 4);
  expect(got(receiver).filter((one) => ordered.includes(String(one)))).toEqual(ordered);
  await app.idle();
});

test('with an order from now on: the events of one subject from then on arrive in order', async () => {
  await listen();
  await on('disable');
  const phone = app.phone();
  await write(1, phone);
  await on('update', { ordering: 'per_subject' });
  const ordered = await write(3, phone);
  expect(await lanes()).toEqual(['alone, waiting', 'in a lane, waiting', 'in a lane, blocked', 'in a lane, blocked']);
  await on('enable');
  await waitFor('all', () => got(receiver).length === 4);
  expect(got(receiver).filter((one) => ordered.includes(String(one)))).toEqual(ordered);
  await app.idle();
});

test('a new rate limit paces what waits', async () => {
  await listen({ rate_limit: 1000 });
  await on('disable');
  await write(6);
  await on('update', { rate_limit: 4 });
  await on('enable');
  await waitFor('all', () => receiver.received.length === 6);
  const times = receiver.received.map(({ at }) => at);
  // Five gaps of a quarter of a second, but for the 30 ms a claim may come early.
  expect(times.at(-1)! - times[0]!).toBeGreaterThan(5 * 250 - 100);
  await app.idle();
});

test('new types are heard from then on, those of before no more', async () => {
  await listen({ event_types: ['message.*'] });
  await write(1);
  await waitFor('the first', () => got(receiver).length === 1);
  await on('update', { event_types: ['contact.*'] });
  await write(1);
  await waitFor('the contact', () => receiver.ofType('contact.created').length === 1);
  await app.idle();
  expect(got(receiver)).toHaveLength(1);
  expect(receiver.ofType('conversation.created')).toEqual([]);
});

test('a wildcard hears what is looked at before it is written, and what is not', async () => {
  await listen({ event_types: ['conversation.*', 'message.*'] });
  const { phone } = await app.conversation(channel);
  await app.text(channel, phone);
  const types = () => new Set(receiver.received.map(({ body }) => body.type));
  await waitFor('what follows from a message', () =>
    ['conversation.updated', 'message.sent', 'message.status_update'].every((type) => types().has(type)),
  );
  await app.idle();
  for (const type of types()) expect(type).toMatch(/^(conversation|message)\./);
});

test('an endpoint that answered 410 is enabled by hand, and gets what it missed', async () => {
  await listen();
  receiver.answer({ status: 410 });
  const [first] = await write(1);
  await waitFor('it to be disabled', async () => (await on('get')).body.enabled === false);
  expect((await on('get')).body).toMatchObject({ disabled_reason: 'gone', disabled_at: expect.any(String) });
  const [second] = await write(1);
  receiver.answer({});
  await on('enable', { held: 'release' });
  await waitFor('both', async () => {
    const rows = await deliveryRows.all(app, { endpoint_id: id }, ['state']);
    return rows.length === 2 && rows.every(({ state }) => state === 'succeeded');
  });
  expect(got(receiver).sort()).toEqual([first, first, second].sort());
});
