import { expect, test } from '@jest/globals';
import { useApp } from '../../support/app.ts';
import { flowChange } from '../../support/flow-changes.ts';
import { asks, doneBy, draft, settled, statusUpdates, unpaced } from '../../support/flow-moves.ts';
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
  await waitFor('the webhook', async () => (await statusUpdates(app, id)).length === 1);
  expect(await settled(app, id)).toMatchObject({ status: 'throttled', failure: null });
});
