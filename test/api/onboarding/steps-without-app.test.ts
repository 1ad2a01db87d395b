import { expect, test } from '@jest/globals';
import { useApp } from '../../support/app.ts';

const app = useApp({ env: { MESSAGING_APP_ID: '' } });

test('an installation without a provider app says so, and stores nothing', async () => {
  const { id } = (await app.call('onboarding.start')).body;
  const call = { params: { progressID: id }, body: { code: 'code' } };
  const { status, body } = await app.call('onboarding.exchange-token', call);
  expect([status, body.error.code, body.error.message]).toEqual([
    409,
    'conflict',
    'This installation has no provider app: MESSAGING_APP_ID and MESSAGING_APP_SECRET are not set',
  ]);
  expect((await app.call('onboarding.get', { params: { progressID: id } })).body.step_status).toBe('pending');
});
