import { expect, test } from '@jest/globals';
import { useApp } from '../../support/app.ts';
import { bodyFor, inboundFrom, newId, statusOf } from '../../support/provider-body.ts';
import { waitFor } from '../../support/wait-for.ts';
import { messageRows } from '../../support/work/messages.ts';
import { providerWebhookRows } from '../../support/work/provider-webhooks.ts';

const app = useApp();
const statuses = 400;

test('who writes to us does not wait behind the statuses of a campaign, which are applied too', async () => {
  const channel = await app.connect();
  const phone = app.phone();
  for (let sent = 0; sent < statuses; sent += 50)
    await Promise.all(
      Array.from({ length: 50 }, () => app.webhook(bodyFor(channel, { statuses: [statusOf(newId(), 'delivered')] }))),
    );
  await app.webhook(bodyFor(channel, inboundFrom(phone)));
  await app.startWorkers({ STATUSES_CONCURRENCY: '1', DEFAULT_CONCURRENCY: '1' });
  const waitingNow = async () => (await providerWebhookRows.count(app, { state: 'received' })) as number;
  const waiting = await waitFor('the message', async () => {
    const [message] = await messageRows.all(app, { from_phone: phone }, ['id']);
    return message && waitingNow();
  });
  expect(waiting).toBeGreaterThan(statuses / 4);
  await waitFor('the statuses', async () => (await waitingNow()) === 0);
});
