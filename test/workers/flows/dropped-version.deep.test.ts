import { expect, test } from '@jest/globals';
import { useApp } from '../../support/app.ts';
import { asks, document, draft, holdCalls, letCallsGo, settled, unpaced } from '../../support/flow-moves.ts';
import { flowMessage } from '../../support/sent-flows.ts';
import { waitFor } from '../../support/wait-for.ts';
import { flowRows, flowSendRows, flowVersionRows } from '../../support/work/flows.ts';

/** No room for a former document of 60 kB. */
const app = useApp({ workers: true, env: { FLOW_VERSIONS_MAX_BYTES: '50000' } });

const large = (title: string) => {
  const flow = document(title);
  flow.screens[0].layout.children.unshift({ type: 'Image', src: 'A'.repeat(60_000) });
  return flow;
};

test('a version that was dropped on its way to the provider has its labels, and can be sent', async () => {
  const channel = await unpaced(app);
  const { id } = await draft(app, channel, { flow_json: large('First') });
  await holdCalls(app, channel);
  await asks(app, id, 'push', { isWaiting: false });
  await app.control('POST', '/faults', { kind: 'delay', delay_ms: 1_500, match: { path: `${channel.wabaId}/flows` } });
  await letCallsGo(app, channel);
  await waitFor('the call', async () => (await flowRows.one(app, id)).asked_at !== null);
  const labels = async () => flowVersionRows.all(app, { flow_id: id }, ['number', 'labels'], { number: 'asc' });
  const [first] = await labels();
  await app.call('flows.update', { params: { flowID: id }, body: { flow_json: large('Meanwhile') } });
  expect((await labels()).map(({ number }) => number)).toEqual([2]);

  expect(await settled(app, id)).toMatchObject({ failure: null, provider_version: 1, version: 2 });
  expect((await labels())[0]).toEqual(first);
  const { items } = (await app.call('flows.versions.list', { params: { flowID: id } })).body;
  expect(items.map(({ number }: { number: number }) => number)).toEqual([2]);
  const { phone } = await app.conversation(channel);
  const { status, body } = await app.text(channel, phone, flowMessage({ flow_id: id, mode: 'draft' }));
  expect(status).toBe(201);
  await app.messageIn(body.data.id, 'read');
  expect(await flowSendRows.one(app, { message_id: body.data.id }, ['flow_id', 'version'])).toEqual({
    flow_id: id,
    version: 1,
  });
});
