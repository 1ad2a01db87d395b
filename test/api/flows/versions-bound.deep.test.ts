import { expect, test } from '@jest/globals';
import { type Body, type Tenant, useApp } from '../../support/app.ts';
import { flowBody, jsonFlow } from '../../support/flow-bodies.ts';
import { storedFlowSends, storedFlows, storedFlowVersions } from '../../support/stored/flows.ts';

/** Room for two former documents of 40 kB, and not for three. */
const app = useApp({ env: { RATE_LIMIT_PER_MINUTE: '0', FLOW_VERSIONS_MAX_BYTES: '100000' } });

const large = (n: number) => ({ version: '7.2', n, image: 'A'.repeat(40_000) });
const made = async (tenant: Tenant, flow_json: object): Promise<Body> =>
  (await app.call('flows.create', { key: tenant.key, body: flowBody(jsonFlow(flow_json)) })).body;
async function change(tenant: Tenant, { id }: Body, flow_json: object) {
  const reply = await app.call('flows.update', { key: tenant.key, params: { flowID: id }, body: { flow_json } });
  expect(reply.status).toBe(200);
}
const kept = async ({ id }: Body): Promise<number[]> =>
  (await storedFlowVersions.all(app, { flow_id: id }, { orderBy: 'number' }))
    .filter(({ flow_json }) => flow_json !== null)
    .map(({ number }) => number);

test('the oldest documents of the organization go, of whichever flow; those of another organization stay', async () => {
  const [tenant, other] = [await app.organization(), await app.organization()];
  const [one, two, theirs] = [await made(tenant, large(0)), await made(tenant, large(0)), await made(other, large(0))];
  await change(other, theirs, large(1));
  for (const n of [1, 2]) await change(tenant, one, large(n));
  expect(await kept(one)).toEqual([1, 2, 3]);
  await change(tenant, two, large(1));
  expect(await kept(one)).toEqual([2, 3]);
  expect(await kept(two)).toEqual([1, 2]);
  await change(tenant, two, large(2));
  // The first of the second flow is older than the second of the first.
  expect(await kept(one)).toEqual([2, 3]);
  expect(await kept(two)).toEqual([2, 3]);
  expect(await kept(theirs)).toEqual([1, 2]);
});

test('the document that the provider has and the present one stay, and do not count', async () => {
  const tenant = await app.organization();
  const flow = await made(tenant, large(0));
  await storedFlows.change(app, flow.id, { provider_version: 1 });
  for (const n of [1, 2, 3, 4]) await change(tenant, flow, large(n));
  expect(await kept(flow)).toEqual([1, 3, 4, 5]);
});

test('one that was sent keeps what its answers are shown by', async () => {
  const channel = await app.connect();
  const { tenant } = channel;
  const flow = await made(tenant, large(0));
  const { phone } = await app.conversation(channel);
  const { id: messageId } = (await app.text(channel, phone)).body.data;
  await storedFlowSends.add(app, { organization_id: tenant.organizationId, message_id: messageId, flow_id: flow.id, version: 1 });
  for (const n of [1, 2, 3]) await change(tenant, flow, large(n));
  expect(await kept(flow)).toEqual([2, 3, 4]);
  expect(await storedFlowVersions.one(app, { flow_id: flow.id, number: 1 }, ['flow_json', 'labels'])).toEqual({
    flow_json: null,
    labels: {},
  });
});

test('small documents are many more', async () => {
  const tenant = await app.organization();
  const flow = await made(tenant, { version: '7.2', n: 0 });
  for (let n = 1; n < 10; n += 1) await change(tenant, flow, { version: '7.2', n });
  expect(await kept(flow)).toHaveLength(10);
});
