import { expect, test } from '@jest/globals';
import { useApp } from '../../support/app.ts';
import { hostIsAhead } from '../../support/hosts-clock.ts';
import { storedOnboardings } from '../../support/stored/channels.ts';
import { waitFor } from '../../support/wait-for.ts';

/** No worker: what is requested stays at work. */
const app = useApp();

async function subscribing(prefer?: string) {
  const { id } = (await app.call('onboarding.start')).body;
  await storedOnboardings.change(app, id, { current_step: 'subscribe_webhook', completed_steps: ['exchange_token'] });
  const reply = app.call('onboarding.subscribe-webhook', {
    body: { phone_number_id: '1', progress_id: id, waba_id: '2' },
    ...(prefer && { headers: { prefer } }),
  });
  const ofIt = 'select 1 from jobs where payload::text like $1 or subject_id::text = $2';
  await waitFor('the job', async () => (await app.rows(ofIt, [`%${id}%`, id])).length > 0);
  return { reply };
}

test('without a preference it waits 5 seconds, and answers with the step at work', async () => {
  const { reply } = await subscribing();
  // The wait has begun before this, or sees the end of its 5 seconds here.
  const clock = hostIsAhead(5_000);
  const { status, body, headers } = await reply.finally(() => clock.mockRestore());
  expect(status).toBe(200);
  expect(body.current_step).toBe('subscribe_webhook');
  expect(body.step_status).toBe('in_progress');
  expect(headers.get('preference-applied')).toBeNull();
  expect(headers.get('operation-id')).toBeTruthy();
});

test("a client's own preference counts", async () => {
  const { reply } = await subscribing('wait=1');
  const { body, headers } = await reply;
  expect(body.step_status).toBe('in_progress');
  expect(headers.get('preference-applied')).toBe('wait=1');
  expect((await (await subscribing('wait=0')).reply).body.step_status).toBe('in_progress');
});
