import { expect, test } from '@jest/globals';
import { useApp } from '../../support/app.ts';
import { type NewNumber, onboarding } from '../../support/onboarding.ts';
import { bodyFor, bodyOf, change, entry, inboundFrom, newId } from '../../support/provider-body.ts';
import { storedOnboardings } from '../../support/stored/channels.ts';
import { storedMessages } from '../../support/stored/messaging.ts';
import { waitFor } from '../../support/wait-for.ts';

const app = useApp({ workers: true });
const { newNumber, start, ask, through, fault } = onboarding(app);

async function subscribed() {
  const [id, number] = [await start(), await newNumber()];
  await through(id, number, 'exchange_token', 'subscribe_webhook');
  return { id, number };
}

const written = (number: NewNumber) => app.webhook(bodyFor(number, inboundFrom(app.phone())));
const kept = (id: string) => storedMessages.all(app, { provider_message_id: id }, { columns: ['channel_id'] });

test('what a person writes between two steps is refused until the channel is there, and then received', async () => {
  const { id, number } = await subscribed();
  await through(id, number, 'register_phone');
  const since = app.log.lines.length;
  const { message_id: written } = await app.control('POST', '/inbound', {
    phone_number_id: number.phoneNumberId,
    message: { type: 'text', text: { body: 'Are you open?' } },
    contact: { profile: { name: 'Sheena' }, wa_id: app.phone() },
  });
  await waitFor('the refusal', () => app.log.lines.slice(since).some(({ to_come }) => to_come === 1));
  const { channel_id } = await through(id, number, 'sync_assets');
  expect(await waitFor('the message', async () => (await kept(written))[0])).toEqual({ channel_id });
});

test('the refusal is a 409 with a time to repeat it, no fault of the installation', async () => {
  const { number } = await subscribed();
  const { status, body, headers } = await written(number);
  expect([status, body.error.code, headers.get('retry-after')]).toEqual([409, 'conflict', '60']);
});

test('changes for known numbers in the same body are kept, once', async () => {
  const { number } = await subscribed();
  const channel = await app.connect();
  const id = newId();
  const both = bodyOf(
    entry(number, change(number, inboundFrom(app.phone()))),
    entry(channel, change(channel, inboundFrom(app.phone(), { id }))),
  );
  for (let repeat = 0; repeat < 2; repeat += 1) expect((await app.webhook(both)).status).toBe(409);
  await app.idle();
  expect(await kept(id)).toEqual([{ channel_id: channel.id }]);
});

test('before the account is subscribed a number is one that nobody has', async () => {
  const [id, number] = [await start(), await newNumber()];
  await through(id, number, 'exchange_token');
  await fault(`${number.wabaId}/subscribed_apps`, { status: 400, code: 200 });
  expect((await ask('subscribe_webhook', id, number)).status).toBe(422);
  expect((await written(number)).status).toBe(200);
});

test('while the subscription is at work, and after a later step has failed, it may still come to a channel', async () => {
  const { id, number } = await subscribed();
  await fault(`${number.phoneNumberId}/register`, { status: 400, code: 133005 });
  expect((await ask('register_phone', id, number)).status).toBe(422);
  expect((await written(number)).status).toBe(409);
  await storedOnboardings.change(app, id, {
    current_step: 'subscribe_webhook',
    step_status: 'in_progress',
    completed_steps: ['exchange_token'],
  });
  expect((await written(number)).status).toBe(409);
});

test('an onboarding that was deleted, or that nobody has touched for a week, refuses nothing', async () => {
  const [left, deleted] = [await subscribed(), await subscribed()];
  await app.rows(`update onboardings set updated_at = updated_at - interval '8 days' where id = $1`, [left.id]);
  expect((await app.call('onboarding.delete', { params: { progressID: deleted.id } })).status).toBe(204);
  for (const { number } of [left, deleted]) expect((await written(number)).status).toBe(200);
});
