import { expect, test } from '@jest/globals';
import { useApp } from '../../support/app.ts';
import { storedOnboardings } from '../../support/stored/channels.ts';

/** No worker: what is asked for stays at work. */
const app = useApp();

async function subscribing(prefer?: string) {
  const { id } = (await app.call('onboarding.start')).body;
  await storedOnboardings.change(app, id, { current_step: 'subscribe_webhook', completed_steps: ['exchange_token'] });
  const startedAt = performance.now();
  const reply = await app.call('onboarding.subscribe-webhook', {
    body: { phone_number_id: '1', progress_id: id, waba_id: '2' },
    ...(prefer && { headers: { prefer } }),
  });
  return { reply, tookMs: performance.now() - startedAt };
}

test('without a preference it waits 5 seconds, and answers with the step at work', async () => {
  const { reply, tookMs } = await subscribing();
  expect([reply.status, reply.body.current_step, reply.body.step_status]).toEqual([200, 'subscribe_webhook', 'in_progress']);
  expect([reply.headers.get('preference-applied'), tookMs >= 4_900]).toEqual([null, true]);
  expect(reply.headers.get('operation-id')).toBeTruthy();
});

test("a client's own preference counts", async () => {
  const { reply } = await subscribing('wait=1');
  expect([reply.body.step_status, reply.headers.get('preference-applied')]).toEqual(['in_progress', 'wait=1']);
  expect((await subscribing('wait=0')).reply.body.step_status).toBe('in_progress');
});
