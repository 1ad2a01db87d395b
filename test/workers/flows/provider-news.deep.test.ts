import { beforeAll, expect, test } from '@jest/globals';
import { type Body, type Channel, useApp } from '../../support/app.ts';
import { flowChange } from '../../support/flow-changes.ts';
import { draft, flowOf, statusUpdates } from '../../support/flow-moves.ts';
import { readExposition } from '../../support/prometheus.ts';
import { flowRows } from '../../support/work/flows.ts';
import { providerWebhookRows } from '../../support/work/provider-webhooks.ts';

const token = 'token-of-the-scraper';
const app = useApp({ env: { METRICS_TOKEN: token, HEALTH_PORT: '0' } });
let healthPort: number | undefined;
beforeAll(async () => {
  ({ healthPort } = await app.startWorkers());
});

/** What the worker has counted of the provider's words about flows, by what became of them. */
async function told(): Promise<Record<string, number>> {
  const reply = await fetch(`http://127.0.0.1:${healthPort}/metrics`, { headers: { authorization: `Bearer ${token}` } });
  const { samples } = readExposition(await reply.text());
  const found = samples.filter(({ name }) => name === 'kanal_flow_webhooks_total');
  return Object.fromEntries(found.map(({ labels, value }) => [labels.outcome, value]));
}
let made = 0;

/** As if it had been published: what the provider tells of it is all that moves it. */
async function publishedFlow(): Promise<{ channel: Channel; flow: Body; providerId: string }> {
  const channel = await app.connect();
  const flow = await draft(app, channel);
  made += 1;
  const providerId = `77${made}${channel.wabaId}`;
  await flowRows.change(app, flow.id, { provider_flow_id: providerId, status: 'published' });
  return { channel, flow, providerId };
}

async function tell(channel: Channel, value: object, time: number) {
  expect((await app.webhook(flowChange(value, time, channel.wabaId))).status).toBe(200);
  await app.idle();
}
const moved = (flow_id: string, old_status: string, new_status: string) => ({
  event: 'FLOW_STATUS_CHANGE',
  message: '',
  ...{ flow_id, old_status, new_status },
});
const alert = (flow_id: string, alert_state: string) => ({ event: 'ENDPOINT_LATENCY', flow_id, alert_state, message: 'slow' });
const alerts = async (id: string) =>
  (await app.events(id)).filter(({ type }) => type === 'flow.alert').map(({ data }) => `${data.kind} ${data.state}`);

test('a status is told once, however often it comes', async () => {
  const { channel, flow, providerId } = await publishedFlow();
  for (let copy = 0; copy < 3; copy += 1) await tell(channel, moved(providerId, 'PUBLISHED', 'THROTTLED'), 1_700_000_100);
  expect((await flowOf(app, flow.id)).status).toBe('throttled');
  expect(await statusUpdates(app, flow.id)).toEqual(['published throttled']);
});

test('the newest time wins, whatever the order', async () => {
  const { channel, flow, providerId } = await publishedFlow();
  await tell(channel, moved(providerId, 'THROTTLED', 'BLOCKED'), 1_700_000_200);
  await tell(channel, moved(providerId, 'PUBLISHED', 'THROTTLED'), 1_700_000_100);
  expect((await flowOf(app, flow.id)).status).toBe('blocked');
  await tell(channel, moved(providerId, 'BLOCKED', 'PUBLISHED'), 1_700_000_300);
  expect((await flowOf(app, flow.id)).status).toBe('published');
  expect(await statusUpdates(app, flow.id)).toEqual(['published blocked', 'blocked published']);
});

test('of two moves of one second the last wins, though the first comes again, or behind it', async () => {
  const { channel, flow, providerId } = await publishedFlow();
  const at = 1_700_000_100;
  for (const [before, status] of [
    ['PUBLISHED', 'THROTTLED'],
    ['THROTTLED', 'BLOCKED'],
    ['PUBLISHED', 'THROTTLED'],
  ])
    await tell(channel, moved(providerId, before!, status!), at);
  expect((await flowOf(app, flow.id)).status).toBe('blocked');
  await tell(channel, moved(providerId, 'PUBLISHED', 'THROTTLED'), at + 10);
  await tell(channel, moved(providerId, 'BLOCKED', 'PUBLISHED'), at + 10);
  expect((await flowOf(app, flow.id)).status).toBe('throttled');
});

test('a deprecated flow stays so', async () => {
  const { channel, flow, providerId } = await publishedFlow();
  await tell(channel, moved(providerId, 'PUBLISHED', 'DEPRECATED'), 1_700_000_100);
  await tell(channel, moved(providerId, 'DEPRECATED', 'PUBLISHED'), 1_700_000_200);
  expect((await flowOf(app, flow.id)).status).toBe('deprecated');
});

test('alerts and the expiry of a version are told once each', async () => {
  const { channel, flow, providerId } = await publishedFlow();
  await tell(channel, alert(providerId, 'ACTIVATED'), 1_700_000_100);
  await tell(channel, alert(providerId, 'ACTIVATED'), 1_700_000_100);
  await tell(channel, alert(providerId, 'DEACTIVATED'), 1_700_000_200);
  await tell(channel, alert(providerId, 'ACTIVATED'), 1_700_000_100);
  await tell(channel, { event: 'FLOW_VERSION_EXPIRY_WARNING', flow_id: providerId, warning: 'Version 5.1 ends' }, 1_700_000_300);
  expect(await alerts(flow.id)).toEqual([
    'endpoint_latency activated',
    'endpoint_latency deactivated',
    'version_expiry activated',
  ]);
});

test('one of another account, of another organization or of nobody changes nothing and is counted', async () => {
  const { channel, flow, providerId } = await publishedFlow();
  const before = await told();
  const other = await app.connect({ tenant: await app.organization() });
  await tell(other, moved(providerId, 'PUBLISHED', 'BLOCKED'), 1_700_000_100);
  await tell(await app.connect(), moved(providerId, 'PUBLISHED', 'BLOCKED'), 1_700_000_100);
  await tell(channel, moved('404404', 'PUBLISHED', 'BLOCKED'), 1_700_000_100);
  expect((await flowOf(app, flow.id)).status).toBe('published');
  expect(await statusUpdates(app, flow.id)).toEqual([]);
  expect(await told()).toEqual({ ...before, unknown: before.unknown! + 3 });
  expect(await providerWebhookRows.count(app, { state: 'broken' })).toBe(0);
});

test('what the provider decides in the second of our own act is not taken for older', async () => {
  const { channel, flow, providerId } = await publishedFlow();
  const toldAt = (at: string) => flowRows.change(app, flow.id, { told_at: at });
  await toldAt('2023-11-14T22:13:20.700Z');
  await tell(channel, moved(providerId, 'PUBLISHED', 'DRAFT'), 1_700_000_000);
  expect((await flowOf(app, flow.id)).status).toBe('published');
  await tell(channel, moved(providerId, 'PUBLISHED', 'THROTTLED'), 1_699_999_999);
  expect((await flowOf(app, flow.id)).status).toBe('published');
  for (let copy = 0; copy < 2; copy += 1) await tell(channel, moved(providerId, 'PUBLISHED', 'THROTTLED'), 1_700_000_000);
  expect(await statusUpdates(app, flow.id)).toEqual(['published throttled']);
  await tell(channel, moved(providerId, 'THROTTLED', 'BLOCKED'), 1_700_000_000);
  expect((await flowOf(app, flow.id)).status).toBe('blocked');
});

test('what a provider whose clock is behind ours decides after our own act is not taken for older, and copies of older words are', async () => {
  const { channel, flow, providerId } = await publishedFlow();
  const at = 1_700_000_000;
  await tell(channel, moved(providerId, 'PUBLISHED', 'THROTTLED'), at);
  await tell(channel, moved(providerId, 'THROTTLED', 'PUBLISHED'), at + 10);
  // Ours, by our clock.
  await flowRows.change(app, flow.id, { told_at: new Date((at + 50) * 1_000).toISOString() });
  for (const older of [at, at + 10]) await tell(channel, moved(providerId, 'PUBLISHED', 'BLOCKED'), older);
  await tell(channel, moved(providerId, 'PUBLISHED', 'DRAFT'), at + 15);
  expect((await flowOf(app, flow.id)).status).toBe('published');
  await tell(channel, moved(providerId, 'PUBLISHED', 'BLOCKED'), at + 20);
  expect((await flowOf(app, flow.id)).status).toBe('blocked');
  await tell(channel, moved(providerId, 'BLOCKED', 'PUBLISHED'), at + 30);
  await tell(channel, moved(providerId, 'PUBLISHED', 'BLOCKED'), at + 20);
  expect((await flowOf(app, flow.id)).status).toBe('published');
  await app.rows('update flows set told_at = to_timestamp($2) where id = $1', [flow.id, at + 100]);
  await tell(channel, moved(providerId, 'PUBLISHED', 'BLOCKED'), at + 40);
  expect((await flowOf(app, flow.id)).status).toBe('published');
});
