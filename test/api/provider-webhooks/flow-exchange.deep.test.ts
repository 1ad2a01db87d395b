import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { receiveFlowEvent, respondToFlow } from '@kapso/whatsapp-cloud-api/server';
import { Webhook } from 'standardwebhooks';
import { type Channel, useApp } from '../../support/app.ts';
import {
  type Asked,
  askByPhone,
  type FlowEndpoint,
  flowWithEndpoint,
  giveKey,
  type OpenedForm,
  sendFlow,
  startFlowEndpoint,
} from '../../support/flow-exchange.ts';
import { testSecrets } from '../../support/secrets.ts';
import { storedFlows } from '../../support/stored/flows.ts';

const app = useApp({ env: { METRICS_TOKEN: 'metrics-token' } });
let endpoint: FlowEndpoint;
let channel: Channel;
/** Of another organization, with an app of its own. */
let other: Channel;
let flowId: string;
let form: OpenedForm;
const ownApp = { app_secret: 'secret-of-its-own-app', verify_token: 'token-of-its-own-app' };

beforeAll(async () => {
  endpoint = await startFlowEndpoint();
  channel = await app.connect();
  other = await app.connect({ tenant: await app.organization(), body: ownApp });
  await giveKey(app, channel);
  await giveKey(app, other);
  flowId = await flowWithEndpoint(app, channel, endpoint.url);
  form = await sendFlow(app, channel, flowId, 'order-4711');
});
afterAll(() => endpoint.close());
beforeEach(() => {
  endpoint.received.length = 0;
  endpoint.answer((res) => res.end('{"screen":"NEXT","data":{"days":["2026-12-01"]}}'));
});

const ask = (request: Asked = {}) => askByPhone(app, channel, { flow_token: form.token, ...request });
const metric = async (outcome: string) => {
  const { text } = await app.raw('GET', '/metrics', { key: null, headers: { authorization: 'Bearer metrics-token' } });
  const line = text.split('\n').find((one) => one.startsWith(`kanal_flow_exchange_duration_seconds_count{outcome="${outcome}"`));
  return Number(line?.split(' ').at(-1) ?? 0);
};

describe('answered here', () => {
  test("a health check, as the sandbox's phone makes it", async () => {
    const url = `${app.base}/v1/providers/messaging-app/flows/${channel.id}`;
    const asked = { phone_number_id: channel.phoneNumberId, url, action: 'ping' };
    expect(await app.control('POST', '/data-exchange', asked)).toMatchObject({
      status: 200,
      response: { data: { status: 'active' } },
    });
  });

  test('a health check', async () => {
    const before = await metric('ping');
    const reply = await askByPhone(app, channel, { action: 'ping' });
    expect(reply).toMatchObject({ status: 200, reply: { data: { status: 'active' } } });
    expect(endpoint.received).toEqual([]);
    expect(await metric('ping')).toBe(before + 1);
  });

  test('an error notice, whose word is in the log and whose message is not', async () => {
    const data = { error: 'invalid-screen-transition', error_message: 'Sheena Nelson typed this' };
    expect(await ask({ action: 'INIT', screen: 'A', data })).toMatchObject({
      status: 200,
      reply: { data: { acknowledged: true } },
    });
    expect(endpoint.received).toEqual([]);
    const line = app.log.lines.find(({ notice }) => notice !== undefined);
    expect(line).toMatchObject({ notice: 'invalid-screen-transition', channel_id: channel.id });
    expect(JSON.stringify(app.log.lines)).not.toContain('Sheena Nelson typed this');
  });
});

describe('forwarded', () => {
  test('with message, contact and conversation, and the answer comes back', async () => {
    const reply = await ask({ screen: 'DATE', data: { day: '2026-12-01' } });
    expect(reply).toMatchObject({ status: 200, reply: { screen: 'NEXT', data: { days: ['2026-12-01'] } } });
    const [{ body }] = endpoint.received as [FlowEndpoint['received'][0]];
    expect(body).toMatchObject({
      version: '3.0',
      action: 'data_exchange',
      screen: 'DATE',
      data: { day: '2026-12-01' },
      flow_token: 'order-4711',
      flow: { id: flowId },
      message: { id: form.messageId },
      contact: { id: form.contactId },
      conversation: { id: form.conversationId },
      channel_id: channel.id,
      organization_id: channel.tenant.organizationId,
    });
  });

  test.each([
    ['alone', { error: 'The lamp is broken' }],
    ['with others', { error: 'The lamp is broken', error_message: 'E 42', room: '7' }],
  ])('a form field called error, %s: it is no notice of the provider', async (_what, data) => {
    expect(await ask({ screen: 'FAULT', data })).toMatchObject({ status: 200, reply: { screen: 'NEXT' } });
    expect(endpoint.received.map(({ body }) => body.data)).toEqual([data]);
  });

  test("from another number of the account, under that number's key", async () => {
    const mine = await app.connect({ account: { waba_id: channel.wabaId, access_token: channel.accessToken } });
    await giveKey(app, mine);
    const { token } = await sendFlow(app, mine, flowId);
    const reply = await askByPhone(app, mine, { flow_token: token, screen: 'DATE' }, { endpointOf: channel });
    expect(reply).toMatchObject({ status: 200, reply: { screen: 'NEXT' } });
    expect(endpoint.received.map((one) => one.body.channel_id)).toEqual([mine.id]);
  });

  test('signed as webhooks are, with both secrets while a rotation lasts', async () => {
    await ask();
    const params = { flowID: flowId };
    const { body: first } = await app.call('flows.data-exchange.reveal-secret', { params });
    const [{ raw, headers }] = endpoint.received as [FlowEndpoint['received'][0]];
    const verified = (secret: string, sent: { raw: string; headers: object }) =>
      new Webhook(secret).verify(sent.raw, sent.headers as Record<string, string>);
    expect(verified(first.secret, { raw, headers })).toMatchObject({ flow_token: 'order-4711' });

    const { body: second } = await app.call('flows.data-exchange.rotate-secret', { params, body: { overlap_hours: 1 } });
    await ask();
    for (const secret of [first.secret, second.secret]) expect(verified(secret, endpoint.received[1]!)).toBeDefined();
    await app.call('flows.data-exchange.rotate-secret', { params, body: { overlap_hours: 0 } });
    await ask();
    expect(() => verified(second.secret, endpoint.received[2]!)).toThrow();
  });

  test("with the flow's own headers", async () => {
    const sealed = testSecrets.seal(JSON.stringify({ 'x-api-token': 'of-the-customer' }));
    await storedFlows.change(app, flowId, { data_exchange_headers: sealed });
    await ask();
    expect(endpoint.received[0]!.headers['x-api-token']).toBe('of-the-customer');
  });

  test('the server part of the client library reads it, and writes the answer', async () => {
    endpoint.answer((res) => res.end(respondToFlow({ screen: 'CONFIRM', data: { text: 'zwölf 👍' } }).body));
    const { reply } = await ask({ action: 'BACK', screen: 'DATE', data: { day: '2026-12-01' } });
    expect(reply).toEqual({ screen: 'CONFIRM', data: { text: 'zwölf 👍' } });
    const rawBody = Buffer.from(endpoint.received[0]!.raw);
    const read = await receiveFlowEvent({ rawBody, phoneNumberId: channel.phoneNumberId, getPrivateKey: async () => undefined });
    expect(read).toMatchObject({ action: 'BACK', screen: 'DATE', flowToken: 'order-4711', data: { day: '2026-12-01' } });
  });

  test('the last answer carries the token by which the message is found, whatever the endpoint wrote', async () => {
    const params = { flow_token: 'order-4711', day: '2026-12-01' };
    endpoint.answer((res) => res.end(JSON.stringify({ screen: 'SUCCESS', data: { extension_message_response: { params } } })));
    const { reply } = await ask();
    expect(reply.data.extension_message_response.params).toEqual({ flow_token: form.token, day: '2026-12-01' });
  });

  test('an endpoint that says the form is over: 427, with its words', async () => {
    endpoint.answer((res) => res.writeHead(427).end('{"error_msg":"The order was placed","else":1}'));
    expect(await ask()).toMatchObject({ status: 427, reply: { error_msg: 'The order was placed' } });
  });

  test("a channel's own app signs; the installation's does not", async () => {
    const own = await flowWithEndpoint(app, other, endpoint.url);
    const { token } = await sendFlow(app, other, own);
    expect(await askByPhone(app, other, { flow_token: token })).toMatchObject({ status: 432 });
    const secret = ownApp.app_secret;
    expect(await askByPhone(app, other, { flow_token: token }, { secret })).toMatchObject({ status: 200 });
    expect(await askByPhone(app, channel, { flow_token: form.token }, { secret })).toMatchObject({ status: 432 });
    // Without a token of the client's own.
    expect(endpoint.received.map(({ body }) => body.flow_token)).toEqual(['']);
  });
});

describe('not good: nothing is forwarded', () => {
  test.each([
    ['a wrong signature', { fault: 'signature' }, 432, 'signature_invalid'],
    ['no signature', { fault: 'no_signature' }, 432, 'signature_invalid'],
    ['a key that is not ours', { fault: 'key' }, 421, 'key_unknown'],
    ['a tag cut short', { fault: 'tag' }, 421, 'key_unknown'],
  ] as const)('%s: %j', async (_what, request, status, code) => {
    const reply = await ask(request);
    expect([reply.status, JSON.parse(reply.text).error.code]).toEqual([status, code]);
    expect(endpoint.received).toEqual([]);
  });

  test("another channel's: 421", async () => {
    const mine = await app.connect();
    await giveKey(app, mine);
    expect(await askByPhone(app, mine, { flow_token: form.token }, { endpointOf: channel })).toMatchObject({ status: 421 });
    expect(endpoint.received).toEqual([]);
  });

  test('another channel of the organization, with its own key: the token is not good there', async () => {
    const mine = await app.connect();
    await giveKey(app, mine);
    expect(await askByPhone(app, mine, { flow_token: form.token })).toMatchObject({ status: 427, reply: {} });
    expect(endpoint.received).toEqual([]);
  });

  test.each([
    ['forged', () => ({ flow_token: form.token.replace(/.{2}$/, (end) => (end === 'AA' ? 'BA' : 'AA')) })],
    ['of the message alone', () => ({ flow_token: form.messageId })],
    ['of another message', () => ({ flow_token: form.token.replace(/^[^.]*/, '01932d5f-3a0e-7cc4-8f4e-0242ac120005') })],
    ['longer', () => ({ flow_token: `${form.token}A` })],
    ['empty', () => ({ flow_token: '' })],
  ])('a token that is %s: 427', async (_what, request) => {
    const before = await metric('token');
    expect(await ask(request())).toMatchObject({ status: 427, reply: {} });
    expect(endpoint.received).toEqual([]);
    expect(await metric('token')).toBe(before + 1);
  });

  test('of a person who was forgotten, and of a flow that was deleted: 427', async () => {
    const gone = await flowWithEndpoint(app, channel, endpoint.url);
    const forgotten = await sendFlow(app, channel, flowId);
    const deleted = await sendFlow(app, channel, gone);
    await app.call('contacts.delete', { params: { contactID: forgotten.contactId } });
    await storedFlows.remove(app, gone);
    for (const { token } of [forgotten, deleted]) expect(await ask({ flow_token: token })).toMatchObject({ status: 427 });
    expect(endpoint.received).toEqual([]);
  });

  test.each(['01932d5f-3a0e-7cc4-8f4e-0242ac120005', 'x'])('channel %s: 404', async (id) => {
    expect(await askByPhone(app, channel, { flow_token: form.token }, { endpointOf: { ...channel, id } })).toMatchObject({
      status: 404,
    });
  });

  test('a body of more than 1 MiB: 413', async () => {
    const data = { words: 'x'.repeat(1024 * 1024) };
    expect(await ask({ data })).toMatchObject({ status: 413 });
  });
});

test('the log and the figures never have a token, a name or an answer', () => {
  const text = JSON.stringify(app.log.lines);
  for (const word of [form.token, 'order-4711', 'of-the-customer', '2026-12-01']) expect(text).not.toContain(word);
});
