import { expect, test } from '@jest/globals';
import { type Body, type Channel, useApp } from '../../support/app.ts';
import { jpeg } from '../../support/media.ts';
import { readExposition } from '../../support/prometheus.ts';
import { bodyFor, newId, textFrom } from '../../support/provider-body.ts';
import { waitFor } from '../../support/wait-for.ts';
import { channelRows } from '../../support/work/channels.ts';
import { redispatchNow } from '../../support/work/jobs.ts';
import { messageRows } from '../../support/work/messages.ts';

const token = 'token-of-the-scraper';
const app = useApp({ env: { METRICS_TOKEN: token, HEALTH_PORT: '0' } });

async function receives(channel: Channel): Promise<Body> {
  const phone = app.phone();
  const { message_id } = await app.control('POST', '/inbound', {
    phone_number_id: channel.phoneNumberId,
    message: { type: 'image', image: {} },
    contact: { profile: { name: 'Person' }, wa_id: phone },
    media: { mime_type: 'image/jpeg', base64: jpeg().toString('base64') },
  });
  return waitFor('the message', async () => (await messageRows.all(app, { provider_message_id: message_id }))[0]);
}

test('received files are counted by what became of them', async () => {
  const { healthPort } = await app.startWorkers();
  const counts = async () => {
    const reply = await fetch(`http://127.0.0.1:${healthPort}/metrics`, { headers: { authorization: `Bearer ${token}` } });
    const { samples } = readExposition(await reply.text());
    const files = samples.filter(({ name }) => name === 'kanal_received_files_total');
    return Object.fromEntries(files.map(({ labels, value }) => [labels.outcome, value]));
  };
  const none = { stored: 0, gone: 0, too_large: 0, unwanted: 0 };
  expect(await counts()).toEqual(none);

  const channel = await app.connect();
  await receives(channel);
  await waitFor('the file', async () => (await counts()).stored === 1);

  const [id, phone] = [newId(), app.phone()];
  const message = { ...textFrom(phone), id, text: undefined, type: 'image', image: { id: '404404', mime_type: 'image/jpeg' } };
  await app.webhook(bodyFor(channel, { contacts: [{ wa_id: phone }], messages: [message] }));
  await waitFor('a file the provider does not have', async () => (await counts()).gone === 1);

  await channelRows.change(app, channel.id, { status: 'restricted' });
  const waiting = await receives(channel);
  await waitFor('the job to wait', async () => new Date((await app.jobOf(waiting.id)).run_at).getTime() > Date.now() + 60_000);
  expect((await app.call('channels.delete', { params: { channelID: channel.id } })).status).toBeLessThan(300);
  await redispatchNow(app, { subject_id: waiting.id });
  await waitFor('the file nobody may have', async () => (await counts()).unwanted === 1);
  expect(await counts()).toEqual({ ...none, stored: 1, gone: 1, unwanted: 1 });
});
