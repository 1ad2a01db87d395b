import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { waitFor } from '../support/wait-for.ts';
import { phoneNumberId, useHouse, user } from './house.ts';

const house = useHouse();
const inbound = { phone_number_id: phoneNumberId, message: { text: { body: 'hi' } }, contact: { wa_id: user } };
const stats = async () => (await house.get('/_control/stats')).body;

test('anything but 200 is tried again, each time after twice as long', async () => {
  await house.control('behaviour', { retry_first_ms: 40 });
  house.receiver.answers = [500, 204, 429];
  await house.control('inbound', inbound);
  await house.settled();
  expect(house.receiver.received.map(({ answered }) => answered)).toEqual([500, 204, 429, 200]);
  const [first, second, third, fourth] = house.receiver.received.map(({ at }) => at);
  expect(second! - first!).toBeGreaterThanOrEqual(38);
  expect(third! - second!).toBeGreaterThanOrEqual(78);
  expect(fourth! - third!).toBeGreaterThanOrEqual(158);
  expect(new Set(house.receiver.received.map(({ raw }) => raw.toString())).size).toBe(1);
});

test('the wait has a ceiling, and in the end the webhook is given up', async () => {
  await house.control('behaviour', { retry_first_ms: 10, retry_max_ms: 10, retry_for_ms: 1_000 });
  house.receiver.answers = Array.from({ length: 100 }, () => 500);
  await house.control('inbound', inbound);
  await house.settled();
  // Each after twice as long, eight would have their time.
  expect(house.receiver.received.length).toBeGreaterThan(8);
  expect(await stats()).toMatchObject({ given_up_webhooks: 1, delivered_webhooks: 0, pending_webhooks: 0 });
});

test('a webhook that is refused holds up no other', async () => {
  await house.control('behaviour', { retry_first_ms: 2_000 });
  house.receiver.answers = [500];
  await house.control('inbound', inbound);
  while (house.receiver.received.length === 0) await sleep(5);
  await house.control('inbound', inbound);
  await waitFor('the second', () => house.receiver.received.length === 2);
  const [first, second] = house.receiver.received;
  expect([first!.answered, second!.answered]).toEqual([500, 200]);
  expect(second!.raw.equals(first!.raw)).toBe(false);
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
  await house.control('behaviour', { retry_first_ms: 1_500 });
  house.receiver.answers = [500];
  await house.control('inbound', inbound);
  while (house.receiver.received.length === 0) await sleep(5);
  await house.ask('DELETE', '/_control');
  await sleep(1_700);
  expect(house.receiver.received).toHaveLength(1);
  expect(await stats()).toMatchObject({ pending_webhooks: 0 });
});
