import { expect, test } from '@jest/globals';
import { createSandbox } from '../../sandbox/sandbox.ts';
import { stopClock } from '../support/later.ts';
import { phoneNumberId, token, useHouse, user, wabaId } from './house.ts';

const house = useHouse();

test('requests are kept in order, found by path and method, and show no token', async () => {
  await house.text('one');
  await house.get(`/v23.0/${wabaId}/phone_numbers?limit=1`);
  await house.text('');
  const all = (await house.get('/_control/requests')).body.requests;
  expect(all.map(({ method, status }: { method: string; status: number }) => [method, status])).toEqual([
    ['POST', 200],
    ['GET', 200],
    ['POST', 400],
  ]);
  expect(all[0]).toMatchObject({
    at: expect.stringMatching(/^\d{4}-.*Z$/),
    path: `/v23.0/${phoneNumberId}/messages`,
    headers: { authorization: '[redacted]' },
    body: { text: { body: 'one' } },
  });
  expect(all[1]).toMatchObject({ path: `/v23.0/${wabaId}/phone_numbers`, query: 'limit=1', body: null });
  expect(JSON.stringify(all)).not.toContain(token);
  const sends = (await house.get(`/_control/requests?method=post&path=/${phoneNumberId}/messages`)).body.requests;
  expect(sends).toHaveLength(2);
  expect((await house.get('/_control/requests?method=GET&path=messages')).body.requests).toEqual([]);
});

test('accepted messages are counted by their callback data', async () => {
  await house.text('a', { biz_opaque_callback_data: 'one' });
  await house.text('a', { biz_opaque_callback_data: 'one' });
  await house.text('b', { biz_opaque_callback_data: 'two' });
  await house.text('c');
  const { messages } = (await house.get('/_control/messages?callback_data=one')).body;
  expect(messages).toHaveLength(2);
  expect(messages[0]).toMatchObject({ id: expect.stringMatching(/^wamid\./), to: user, type: 'text', callback_data: 'one' });
  expect((await house.get('/_control/messages?callback_data=none')).body.messages).toEqual([]);
  expect((await house.get('/_control/messages')).body.messages).toHaveLength(4);
  expect((await house.get('/_control/messages?after=3')).body.messages).toHaveLength(1);
});

test('the rate of a number is limited and measured', async () => {
  await house.control('behaviour', { mps: 5, auto_status: [] });
  const clock = stopClock();
  const answers = await Promise.all(Array.from({ length: 20 }, () => house.text())).finally(clock.goOn);
  const refused = answers.filter(({ status }) => status !== 200);
  expect(refused).toHaveLength(15);
  for (const { status, body } of refused) expect([status, body.error.code, body.error.is_transient]).toEqual([400, 130429, true]);
  const { numbers } = (await house.get('/_control/stats')).body;
  expect(numbers[phoneNumberId]).toMatchObject({ accepted: 5, max_in_one_second: 5 });
});

test('behaviour is read and changed in parts', async () => {
  expect((await house.control('behaviour', { window: 'sync' })).body).toMatchObject({ window: 'sync', delay_ms: 5 });
  expect((await house.get('/_control/behaviour')).body).toMatchObject({
    window: 'sync',
    mps: null,
    auto_status: ['sent', 'delivered', 'read'],
  });
});

test('a reset brings back the start, but not another receiver', async () => {
  await house.control('accounts', { waba_id: '201', phone_number_id: '101', display_phone_number: '+1', access_token: 'x' });
  await house.control('faults', { kind: 'status', times: 9 });
  await house.control('behaviour', { delay_ms: 77 });
  await house.ask('DELETE', '/_control');
  expect((await house.get('/_control/accounts')).body.accounts).toHaveLength(1);
  expect((await house.get('/_control/behaviour')).body.delay_ms).toBe(50);
  expect((await house.get('/_control/requests')).body.requests).toEqual([]);
  expect((await house.get(`/${phoneNumberId}`)).status).toBe(200);
  expect((await house.get('/_control/subscription')).body.webhook_url).toBe(house.receiver.url);
});

test('a receiver is verified before it is taken', async () => {
  const webhook_url = house.receiver.url;
  expect((await house.control('subscription', { webhook_url, verify: true })).body).toMatchObject({ webhook_url });
  const refused = await house.control('subscription', { app_secret: 'new', verify_token: 'wrong', verify: true });
  expect(refused).toMatchObject({ status: 422, body: { error: { message: expect.stringContaining('403') } } });
  expect((await house.get('/_control/subscription')).body).toMatchObject({ verify_token: 'sandbox-verify-token' });
});

test('without a receiver webhooks are dropped, and none can be sent by hand', async () => {
  const webhook_url = house.receiver.url;
  await house.control('subscription', { webhook_url: null });
  await house.text();
  await house.settled();
  expect((await house.control('webhook', '{}')).status).toBe(422);
  await house.control('subscription', { webhook_url });
  expect(house.receiver.received).toEqual([]);
});

test.each<[string, unknown]>([
  ['behaviour', { delay_ms: -1 }],
  ['behaviour', { auto_status: ['lost'] }],
  ['behaviour', { colour: 'red' }],
  ['faults', { kind: 'earthquake' }],
  ['faults', { kind: 'status', times: 0 }],
  ['faults', '{"kind":'],
  ['accounts', { waba_id: 'not a number' }],
  ['inbound', {}],
  ['inbound', { phone_number_id: '1', message: { text: {} }, contact: { wa_id: '1' } }],
  ['inbound', { phone_number_id: phoneNumberId, message: { text: {} } }],
  ['inbound', { phone_number_id: phoneNumberId, message: {}, contact: { wa_id: '1' } }],
  ['webhook', undefined],
  ['webhook?signature=odd', {}],
  ['subscription', { webhook_url: 'ftp://example.com' }],
])('%s refuses %j with 422', async (path, body) => {
  const answer = await house.control(path, body);
  expect(answer.status).toBe(422);
  expect(answer.body.error.message).toEqual(expect.any(String));
});

test('a control path that is not there is 404; a strange query is 422', async () => {
  expect((await house.get('/_control/nothing')).status).toBe(404);
  expect((await house.get('/_control/requests?colour=red')).status).toBe(422);
});

test('accounts are checked at the start', () => {
  const account = { waba_id: '1', phone_number_id: '2', display_phone_number: '+1', verified_name: 'A', access_token: 't' };
  expect(() => createSandbox({ accounts: [{ ...account, waba_id: 'x' }] })).toThrow('waba_id');
  expect(() => createSandbox({ accounts: [account, account] })).toThrow('duplicate');
  expect(() => createSandbox({ accounts: [] })).toThrow();
});
