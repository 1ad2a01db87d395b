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
  const failsWith = async (outcome: string, token = form.token, withinMs = 10_000) => {
    const before = await metric(outcome);
    const reply = await ask({ flow_token: token });
    expect([reply.status, JSON.parse(reply.text).error.code]).toEqual([502, 'endpoint_failed']);
    expect(reply.ms).toBeLessThan(withinMs);
    expect(await metric(outcome)).toBe(before + 1);
    return reply;
  };

  test('it never answers, and the database was slow before: an error before both times are over', async () => {
    const { pool } = app.web.deps.database;
    const query = pool.query;
    pool.query = (async (text: unknown, ...rest: unknown[]) => {
      if (String(text).includes('flow_sends')) await new Promise((resolve) => setTimeout(resolve, 3_000));
      return (query as (...all: unknown[]) => unknown).call(pool, text, ...rest);
    }) as typeof query;
    endpoint.answer(() => undefined);
    try {
      // We answer after 9.5 s; the slow database and the endpoint's own time would be 11 s.
      const { ms } = await failsWith('timeout', form.token, 10_900);
      expect(ms).toBeGreaterThan(9_000);
    } finally {
      pool.query = query;
    }
  }, 30_000);

  test('it never ends, and holds no more than its share of places meanwhile', async () => {
    endpoint.answer((res) => {
      res.writeHead(200);
      const timer = setInterval(() => res.write(' '), 100);
      res.on('close', () => clearInterval(timer));
    });
    const before = await metric('timeout');
    const slow = [ask(), ask()];
    await waitFor('both to arrive', () => endpoint.received.length === 2);
    const full = await ask();
    expect([full.status, JSON.parse(full.text).error.code]).toEqual([503, 'unavailable']);
    // Another organization has its own places.
    expect(await askByPhone(app, other, { action: 'ping' })).toMatchObject({ status: 200 });
    for (const { status, ms } of await Promise.all(slow)) {
      expect(status).toBe(502);
      expect(ms).toBeGreaterThan(7_500);
      expect(ms).toBeLessThan(10_000);
    }
    expect(await metric('timeout')).toBe(before + 2);
    expect(await askByPhone(app, channel, { action: 'ping' })).toMatchObject({ status: 200 });
  }, 30_000);
});
