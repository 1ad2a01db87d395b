import { expect, test } from '@jest/globals';
import { useApp } from '../../support/app.ts';
import { waitFor } from '../../support/wait-for.ts';
import { statusOfChannel } from '../../support/work/channels.ts';

// The web process reaches the provider, the workers do not: nobody listens there.
const app = useApp({ workers: true, workerEnv: { MESSAGING_APP_URL: 'http://127.0.0.1:1' } });

test('a provider that cannot be reached: tried again, for not a byte was written', async () => {
  const channel = await app.connect();
  const { phone } = await app.conversation(channel);
  const { body } = await app.text(channel, phone);
  const job = await waitFor('two tries', async () => {
    const row = await app.jobOf(body.data.id);
    return row.attempts >= 2 && row;
  });
  expect(job).toMatchObject({ state: 'queued', error: { code: 'provider_failed', provider_code: 'ECONNREFUSED' } });
  expect((await app.message(body.data.id)).status).toBe('queued');
  expect(await statusOfChannel(app, channel)).toBe('connected');
});
