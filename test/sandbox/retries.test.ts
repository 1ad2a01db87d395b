import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { holdLongTimers } from '../support/fake-timers.ts';
import { waitFor } from '../support/wait-for.ts';
import { phoneNumberId, useHouse, user } from './house.ts';

const house = useHouse();
const inbound = { phone_number_id: phoneNumberId, message: { text: { body: 'hi' } }, contact: { wa_id: user } };
const stats = async () => (await house.get('/_control/stats')).body;

/** Delays of retries are longer than any other timer here, and pass when the test says so. */
const stepMs = 600_000;
let timers: ReturnType<typeof holdLongTimers>;
beforeEach(() => {
  timers = holdLongTimers(stepMs);
});
afterEach(() => timers.goOn());

const answered = () => house.receiver.received.map((one) => one.answered);
/** Waits until the last attempt has failed, and returns the delay until the next. */
const nextDelay = () => waitFor('a retry to be scheduled', () => timers.delays()[0]);

test('anything but 200 is tried again, each time after twice as long', async () => {
  await house.control('behaviour', { retry_first_ms: stepMs, retry_max_ms: 16 * stepMs });
  house.receiver.answers = [500, 204, 429];
  await house.control('inbound', inbound);
  for (const steps of [1, 2, 4]) {
    expect(await nextDelay()).toBe(steps * stepMs);
    timers.runFirst();
  }
  await house.settled();
  expect(answered()).toEqual([500, 204, 429, 200]);
  expect(new Set(house.receiver.received.map(({ raw }) => raw.toString())).size).toBe(1);
});

test('the wait has a ceiling, and in the end the webhook is given up', async () => {
  await house.control('behaviour', { retry_first_ms: stepMs, retry_max_ms: 2 * stepMs });
  house.receiver.answers = Array.from({ length: 100 }, () => 500);
  await house.control('inbound', inbound);
  for (const steps of [1, 2, 2, 2]) {
    expect(await nextDelay()).toBe(steps * stepMs);
    timers.runFirst();
  }
  await nextDelay();
  const anHourAhead = jest.spyOn(Date, 'now').mockReturnValue(Date.now() + 3_600_000);
  await house.control('behaviour', { retry_for_ms: 1_800_000 });
  timers.runFirst();
  await house.settled();
  anHourAhead.mockRestore();
  expect(answered()).toHaveLength(6);
  expect(await stats()).toMatchObject({ given_up_webhooks: 1, delivered_webhooks: 0, pending_webhooks: 0 });
});

test('a webhook that is refused holds up no other', async () => {
  await house.control('behaviour', { retry_first_ms: stepMs, retry_max_ms: stepMs });
  house.receiver.answers = [500];
  await house.control('inbound', inbound);
  await nextDelay();
  await house.control('inbound', inbound);
  await waitFor('the second', () => house.receiver.received.length === 2);
  const [first, second] = house.receiver.received;
  expect([first!.answered, second!.answered]).toEqual([500, 200]);
  expect(second!.raw.equals(first!.raw)).toBe(false);
  timers.runFirst();
  await house.settled();
  expect(await stats()).toMatchObject({ delivered_webhooks: 2 });
});

test('everything waits while the receiver is away, and arrives when it is back', async () => {
  await house.control('behaviour', { retry_first_ms: 20, retry_max_ms: 100, window: 'off' });
  await house.receiver.close();
  await Promise.all(Array.from({ length: 100 }, (_, index) => house.text('hi', { biz_opaque_callback_data: String(index) })));
  await waitFor('all of them to wait', async () => (await stats()).pending_webhooks === 300);
  expect(await stats()).toMatchObject({ pending_webhooks: 300, numbers: { [phoneNumberId]: { pending_webhooks: 300 } } });
  await house.receiver.open();
  await house.settled();
  const arrived = new Set(house.receiver.statuses().map(({ id, status }) => `${id} ${status}`));
  expect(arrived.size).toBe(300);
  expect(await stats()).toMatchObject({ delivered_webhooks: 300, given_up_webhooks: 0 });
});

test('a reset forgets what waits', async () => {
  await house.control('behaviour', { retry_first_ms: stepMs, retry_max_ms: stepMs });
  house.receiver.answers = [500];
  await house.control('inbound', inbound);
  await nextDelay();
  await house.ask('DELETE', '/_control');
  expect(timers.delays()).toEqual([]);
  expect(house.receiver.received).toHaveLength(1);
  expect(await stats()).toMatchObject({ pending_webhooks: 0 });
});
