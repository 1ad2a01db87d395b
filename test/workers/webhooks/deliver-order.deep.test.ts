import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { useApp } from '../../support/app.ts';
import { watchClaims } from '../../support/claims.ts';
import { startReceiver } from '../../support/receiver.ts';
import { newRandom } from '../../support/seed.ts';
import { type Subscriber, subscriber } from '../../support/subscriber.ts';
import { waitFor } from '../../support/wait-for.ts';
import { eventRows } from '../../support/work/events.ts';
import { messageRows } from '../../support/work/messages.ts';
import { deliveryRows } from '../../support/work/webhooks.ts';

const random = newRandom();

// No answer from a receiver is given up while the others have theirs, however slow the machine is.
const app = useApp({ workers: true, env: { WEBHOOK_TIMEOUT_MS: '30000' } });
let { receiver, subscribe, receiveText } = {} as Subscriber;

beforeEach(async () => {
  ({ receiver, subscribe, receiveText } = await subscriber(app));
});
afterEach(() => receiver.close());

const eventsOf = async (phone: string) => {
  const messages = new Set((await messageRows.all(app, { from_phone: phone }, ['id'])).map(({ id }) => id));
  const events = await eventRows.all(app, { type: 'message.new' }, ['id', 'data'], { seq: 'asc' });
  return events.filter(({ data }) => messages.has((data as { message_id: string }).message_id)).map(({ id }) => id);
};
const idsFor = (phone: string) =>
  receiver.received.filter(({ body }) => body.data.from_phone === phone).map(({ headers }) => headers['webhook-id']);

test('per_subject: the events of one conversation in order, head of line first, other conversations pass', async () => {
  const [slow, quick] = [app.phone(), app.phone()];
  let refusals = 1;
  let refuse: () => void = () => undefined;
  const after = new Promise<void>((resolve) => {
    refuse = resolve;
  });
  receiver.answer(({ body }) => {
    const isHead = body.data.from_phone === slow && refusals > 0;
    if (isHead) refusals -= 1;
    return isHead ? { status: 500, after } : { delayMs: random() * 20 };
  });
  await subscribe({ ordering: 'per_subject' });
  for (let index = 0; index < 5; index += 1) {
    await receiveText(slow, `${index}`);
    await receiveText(quick, `${index}`);
  }
  await waitFor('the quick one', () => idsFor(quick).length === 5);
  expect(idsFor(quick)).toEqual(await eventsOf(quick));
  // The head has its first try, waits for its second, and everything behind it with it.
  expect(idsFor(slow)).toHaveLength(1);
  refuse();
  await waitFor('the slow one', () => idsFor(slow).length === 6);
  const wanted = await eventsOf(slow);
  expect(idsFor(slow)).toEqual([wanted[0], ...wanted]);
});

test('best effort waits for nobody', async () => {
  const phone = app.phone();
  let head: unknown;
  receiver.answer(({ headers }) => {
    head ??= headers['webhook-id'];
    return headers['webhook-id'] === head ? { status: 500 } : {};
  });
  await subscribe();
  await receiveText(phone);
  await waitFor('the first, which is never taken', () => head !== undefined);
  for (let index = 1; index < 4; index += 1) await receiveText(phone);
  await waitFor('the three behind it', () => new Set(idsFor(phone)).size === 4);
});

test('a rate limit of an endpoint spreads its deliveries and spends no attempt', async () => {
  const claimsOf = await watchClaims(app.em());
  const { id } = await subscribe({ rate_limit: 4 });
  await Promise.all(Array.from({ length: 8 }, () => receiveText(app.phone())));
  await waitFor('all of them', () => receiver.received.length === 8);
  const times = await claimsOf(`endpoint:${id}`);
  expect(times).toHaveLength(8);
  for (let index = 4; index < 8; index += 1) expect(times[index]! - times[index - 4]!).toBeGreaterThan(900);
  await app.idle();
  for (const delivery of await deliveryRows.all(app, { endpoint_id: id }))
    expect(delivery).toMatchObject({ attempts: 1, state: 'succeeded' });
});

test('one endpoint that never answers slows no other', async () => {
  const dead = await startReceiver();
  try {
    dead.answer({ delayMs: 60_000 });
    await subscribe({ url: dead.url });
    await subscribe();
    await Promise.all(Array.from({ length: 40 }, () => receiveText(app.phone())));
    await waitFor('the living one', () => receiver.received.length === 40);
    // At most ten requests to one endpoint are in flight, however many wait; none of them is over yet.
    expect(dead.received.length).toBeLessThanOrEqual(10);
  } finally {
    await dead.close();
  }
});
