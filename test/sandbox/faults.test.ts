import { describe, expect, test } from '@jest/globals';
import { phoneNumberId, useHouse } from './house.ts';

const house = useHouse();
const match = { method: 'POST', path: '/messages' };
const fault = (kind: string, rest: object = {}) => house.control('faults', { match, kind, ...rest });
const accepted = async () => (await house.get('/_control/messages')).body.messages.length as number;
const steps = () => house.receiver.statuses().map(({ status }) => status);

test.each<[object, number, number]>([
  [{}, 500, 2],
  [{ status: 401 }, 401, 190],
  [{ status: 403 }, 403, 10],
  [{ status: 429 }, 429, 4],
  [{ status: 400 }, 400, 100],
  [{ status: 400, code: 131056 }, 400, 131056],
  [{ status: 418, code: 7 }, 418, 7],
])('status %j answers %d with code %d and takes no effect', async (rest, status, code) => {
  await fault('status', rest);
  expect(await house.text()).toMatchObject({ status, body: { error: { code, type: 'OAuthException' } } });
  expect(await accepted()).toBe(0);
  expect((await house.text()).status).toBe(200);
});

test('a fault applies as often as it says, and only where it fits', async () => {
  await fault('status', { times: 2 });
  expect((await house.get(`/${phoneNumberId}`)).status).toBe(200);
  expect((await house.text()).status).toBe(500);
  expect((await house.get('/_control/faults')).body.faults).toMatchObject([{ kind: 'status', times: 1 }]);
  expect((await house.text()).status).toBe(500);
  expect((await house.text()).status).toBe(200);
  expect((await house.get('/_control/faults')).body.faults).toEqual([]);
});

test('a fault says the type, the subcode and the message of an error; without them they are what the code usually has', async () => {
  await fault('status', {
    status: 401,
    code: 190,
    subcode: 463,
    message: 'The session has expired',
    type: 'GraphMethodException',
  });
  expect((await house.text()).body.error).toEqual({
    message: 'The session has expired',
    type: 'GraphMethodException',
    code: 190,
    error_subcode: 463,
    fbtrace_id: expect.any(String),
  });
  await fault('status', { status: 404, code: 803 });
  expect((await house.text()).body.error).toEqual({
    message: '(#803) Some of the aliases you requested do not exist',
    type: 'GraphMethodException',
    code: 803,
    fbtrace_id: expect.any(String),
  });
});

test('a transient code says so', async () => {
  await fault('status', { status: 503, code: 131016 });
  expect((await house.text()).body.error.is_transient).toBe(true);
});

test('delay waits before anything happens, and adds up with another fault', async () => {
  await fault('delay', { delay_ms: 80 });
  await fault('status');
  let hasPassed = false;
  // Set before the request, a timer as long ends before its answer.
  setTimeout(() => {
    hasPassed = true;
  }, 80);
  expect((await house.text()).status).toBe(500);
  expect(hasPassed).toBe(true);
});

test('drop_before destroys the socket without effect', async () => {
  await fault('drop_before');
  await expect(house.text()).rejects.toThrow();
  expect(await accepted()).toBe(0);
  expect((await house.get('/_control/requests')).body.requests).toMatchObject([{ method: 'POST', status: null }]);
});

test('drop_after takes effect and then destroys the socket', async () => {
  await house.openWindow();
  await fault('drop_after');
  await expect(house.text('hi', { biz_opaque_callback_data: 'lost' })).rejects.toThrow();
  expect(await accepted()).toBe(1);
  await house.settled();
  expect(house.receiver.statuses()).toEqual(
    ['sent', 'delivered', 'read'].map((status) => expect.objectContaining({ status, biz_opaque_callback_data: 'lost' })),
  );
});

describe('webhooks of the matched send', () => {
  test.each([
    ['duplicate_webhook', ['sent', 'sent', 'delivered', 'delivered', 'read', 'read'], 6],
    ['reorder_webhooks', ['read', 'delivered', 'sent'], 3],
    ['skip_delivered', ['sent', 'read'], 2],
    ['drop_webhooks', [], 0],
    ['batch_webhooks', ['sent', 'delivered', 'read'], 1],
  ])('%s', async (kind, expected, requests) => {
    await house.openWindow();
    await house.control('behaviour', { delay_ms: 20 });
    await fault(kind);
    await house.text();
    await house.settled();
    expect(steps()).toEqual(expected);
    expect(house.receiver.received).toHaveLength(requests);
    await house.text();
    await house.settled();
    expect(steps()).toEqual([...expected, 'sent', 'delivered', 'read']);
  });

  test('a refused send spends none of them', async () => {
    await fault('drop_webhooks');
    expect((await house.text('')).status).toBe(400);
    expect((await house.get('/_control/faults')).body.faults).toHaveLength(1);
  });
});
