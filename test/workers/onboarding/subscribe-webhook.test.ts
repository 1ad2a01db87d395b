import { expect, test } from '@jest/globals';
import { useApp } from '../../support/app.ts';
import { onboarding } from '../../support/onboarding.ts';
import { waitFor } from '../../support/wait-for.ts';
import { onboardingRows } from '../../support/work/channels.ts';

/** The sandbox lists its own app, and this worker is another. */
const app = useApp({ workers: true, workerEnv: { MESSAGING_APP_ID: '999' } });
const { newNumber, start, ask, read, calls } = onboarding(app);

test('an app that the provider does not list after it was subscribed is subscribed again', async () => {
  const [id, number] = [await start(), await newNumber()];
  await onboardingRows.change(app, id, {
    current_step: 'subscribe_webhook',
    completed_steps: ['exchange_token'],
    access_token: app.web.deps.secrets.seal(number.accessToken),
  });
  await ask('subscribe_webhook', id, number, { prefer: 'wait=0' });
  const job = await waitFor('two tries', async () => {
    const row = await app.jobOf(id);
    return row.attempts >= 2 && row;
  });
  expect(job.error.message).toBe('The provider does not list the app among those that hear of the account');
  expect(await calls(`${number.wabaId}/subscribed_apps`)).toBeGreaterThanOrEqual(2);
  expect(await read(id)).toMatchObject({ current_step: 'subscribe_webhook', completed_steps: ['exchange_token'] });
});
