import { expect, test } from '@jest/globals';
import { useApp } from '../../support/app.ts';
import { flowChange } from '../../support/flow-changes.ts';
import {
  asks,
  document,
  doneBy,
  draft,
  flowOf,
  settled,
  statusUpdates,
  there,
  titleOf,
  unpaced,
} from '../../support/flow-moves.ts';
import { waitFor } from '../../support/wait-for.ts';

const app = useApp({ workers: true, workerEnv: { PROVIDER_TIMEOUT_MS: '2000' } });

test('a publish whose answer was lost has succeeded, though the flow was throttled since', async () => {
  const channel = await unpaced(app);
  const { id } = await draft(app, channel);
  const { provider_flow_id } = await doneBy(app, id, 'push');
  const match = { method: 'POST', path: `${provider_flow_id}/publish` };
  await app.control('POST', '/faults', { kind: 'drop_after', match });
  await asks(app, id, 'publish', { isWaiting: false });
  await waitFor('the cut', async () => (await app.control('GET', '/faults')).faults.length === 0);
  await app.control('POST', `/flows/${provider_flow_id}/status`, { status: 'THROTTLED' });
  expect(await settled(app, id)).toMatchObject({ status: 'throttled', failure: null });
});

test("what the provider tells between a publish's answer and its end is kept", async () => {
  const channel = await unpaced(app);
  const { id } = await draft(app, channel);
  const { provider_flow_id } = await doneBy(app, id, 'push');
  // The answer is late: the webhook is applied while the worker waits for it.
  const match = { method: 'POST', path: `${provider_flow_id}/publish` };
  await app.control('POST', '/faults', { kind: 'delay', delay_ms: 1_500, match });
  await asks(app, id, 'publish', { isWaiting: false });
  await waitFor('the delay', async () => (await app.control('GET', '/faults')).faults.length === 0);
  const words = { event: 'FLOW_STATUS_CHANGE', flow_id: provider_flow_id, old_status: 'PUBLISHED', new_status: 'THROTTLED' };
  // Later than the webhook that the sandbox sends of the publication itself, when the delay is over.
  await app.webhook(flowChange(words, Math.floor(Date.now() / 1_000) + 60, channel.wabaId));
  await waitFor('the webhook', async () => (await flowOf(app, id)).status === 'throttled');
  expect(await settled(app, id)).toMatchObject({ status: 'throttled', failure: null });
});

test('what the provider tells between the reading of a repeated push and its end is kept', async () => {
  // With the account's pace: a second lies between the upload and the end.
  const channel = await app.connect();
  const { id } = await draft(app, channel);
  const { provider_flow_id } = await doneBy(app, id, 'push');
  await app.call('flows.update', { params: { flowID: id }, body: { flow_json: document('Second') } });
  const match = { method: 'POST', path: `${provider_flow_id}/assets` };
  await app.control('POST', '/faults', { kind: 'drop_before', match });
  await asks(app, id, 'push', { isWaiting: false });
  await waitFor('the cut', async () => (await app.control('GET', '/faults')).faults.length === 0);
  await waitFor('the upload', async () => titleOf((await there(app, channel))[0]!.flow_json) === 'Second');
  await app.control('POST', `/flows/${provider_flow_id}/status`, { status: 'PUBLISHED' });
  await waitFor('the webhook', async () => (await flowOf(app, id)).status === 'published');
  expect(await settled(app, id)).toMatchObject({ status: 'published', has_local_changes: false, failure: null });
  expect(await statusUpdates(app, id)).toEqual(['draft published']);
}, 60_000);

test('a copy of what a provider whose clock is ahead told last is older than what a sync has read since', async () => {
  const channel = await unpaced(app);
  const { id } = await draft(app, channel);
  const { provider_flow_id } = await doneBy(app, id, 'push', 'publish');
  // The provider's times are whole seconds: what it says next is of a later one.
  await app.rows(`update flows set told_at = told_at - interval '2 s' where id = $1`, [id]);
  const words = { event: 'FLOW_STATUS_CHANGE', flow_id: provider_flow_id, old_status: 'PUBLISHED', new_status: 'THROTTLED' };
  const body = flowChange(words, Math.floor(Date.now() / 1_000) + 60, channel.wabaId);
  await app.webhook(body);
  await waitFor('the webhook', async () => (await flowOf(app, id)).status === 'throttled');
  await app.control('POST', `/flows/${provider_flow_id}/status`, { status: 'PUBLISHED', is_told: false });
  expect((await doneBy(app, id, 'sync')).status).toBe('published');
  await app.webhook(body);
  await app.idle();
  expect((await flowOf(app, id)).status).toBe('published');
});
