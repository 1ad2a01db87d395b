import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
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
import { flood, type HostileReceiver, startHostileReceiver } from '../../support/hostile-receiver.ts';
import { waitFor } from '../../support/wait-for.ts';

const app = useApp({
  env: { FLOW_EXCHANGES_AT_ONCE: '4', FLOW_EXCHANGES_PER_ORGANIZATION: '2', METRICS_TOKEN: 'metrics-token' },
});
let endpoint: FlowEndpoint;
let channel: Channel;
/** Of another organization. */
let other: Channel;
let form: OpenedForm;

beforeAll(async () => {
  endpoint = await startFlowEndpoint();
  channel = await app.connect();
  other = await app.connect({ tenant: await app.organization() });
  await giveKey(app, channel);
  await giveKey(app, other);
  form = await sendFlow(app, channel, await flowWithEndpoint(app, channel, endpoint.url));
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

describe('the endpoint does not answer: an error in time', () => {
  const at = async (url: string | null) => sendFlow(app, channel, await flowWithEndpoint(app, channel, url));
  const failsWith = async (outcome: string, token = form.token) => {
    const before = await metric(outcome);
    const reply = await ask({ flow_token: token });
    expect([reply.status, JSON.parse(reply.text).error.code]).toEqual([502, 'endpoint_failed']);
    expect(await metric(outcome)).toBe(before + 1);
    return reply;
  };

  test('no address', async () => {
    const { token } = await at(null);
    await failsWith('no_address', token);
  });

  test.each(['http://10.0.0.1/flow', 'http://169.254.169.254/latest', 'http://[::ffff:10.0.0.1]/'])(
    'an address that is not public: %s',
    async (url) => {
      const { token } = await at(url);
      await failsWith('address', token);
    },
  );

  test('nobody listens', async () => {
    const { token } = await at('http://127.0.0.1:1/flow');
    await failsWith('connection', token);
  });

  test('it redirects: nobody follows', async () => {
    const elsewhere = await startFlowEndpoint();
    endpoint.answer((res) => res.writeHead(307, { location: elsewhere.url }).end());
    await failsWith('status');
    expect(elsewhere.received).toEqual([]);
    await elsewhere.close();
  });

  test.each([404, 421, 500])('it answers %i', async (status) => {
    endpoint.answer((res) => res.writeHead(status).end('{"screen":"NEXT"}'));
    await failsWith('status');
  });

  test.each(['', 'thank you', '[]', 'null', '"text"', '{"screen":'])('its answer is no JSON object: %j', async (text) => {
    endpoint.answer((res) => res.end(text));
    await failsWith('answer');
  });

  test('it breaks off', async () => {
    endpoint.answer((res) => {
      res.writeHead(200, { 'content-length': '100' }).write('{"screen":');
      setTimeout(() => res.destroy(), 20);
    });
    await failsWith('answer');
  });

  test.each([
    ['a body', 'HTTP/1.1 200 OK\r\ncontent-length: 104857600\r\n\r\n', '{"a":"xxxxxxxx'],
    ['heads', 'HTTP/1.1 200 OK\r\n', 'x: yyyyyyyyyyyy\r\n'],
  ])('100 MB of %s: cut off', async (_what, head, piece) => {
    const receiver: HostileReceiver = await startHostileReceiver((socket) => {
      socket.write(head);
      flood(socket, piece);
    });
    try {
      const { token } = await at(receiver.url);
      await failsWith('answer', token);
      expect(receiver.written()).toBeLessThan(16 * 1024 * 1024);
    } finally {
      await receiver.close();
    }
  });

  test('while it does not answer, the organization has no more than its share of places, and another one has its own', async () => {
    const answers: (() => void)[] = [];
    endpoint.answer((res) => void answers.push(() => res.end('{"screen":"NEXT","data":{"days":["2026-12-01"]}}')));
    const slow = [ask(), ask()];
    await waitFor('both to arrive', () => answers.length === 2);
    const full = await ask();
    expect(full.status).toBe(503);
    expect(JSON.parse(full.text).error.code).toBe('unavailable');
    expect(await askByPhone(app, other, { action: 'ping' })).toMatchObject({ status: 200 });
    for (const answer of answers) answer();
    for (const { status } of await Promise.all(slow)) expect(status).toBe(200);
  });
});
