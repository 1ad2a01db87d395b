import { expect, test } from '@jest/globals';
import { createWebhookSender } from '../../../src/webhooks/sender.ts';
import { shownOutcome } from '../../../workers/webhooks/deliver.ts';

test('every way a name leads nowhere public is one to its owner', async () => {
  const refused = Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' });
  const lookups = {
    unknown: () => Promise.reject(refused),
    empty: async () => [],
    private: async () => [{ address: '10.0.0.7' }],
    metadata: async () => [{ address: '169.254.169.254' }],
    mixed: async () => [{ address: '93.184.216.34' }, { address: '127.0.0.1' }],
  };
  for (const [name, lookup] of Object.entries(lookups)) {
    const sender = createWebhookSender({ allowHttp: true, allowNetworks: [], lookup });
    const { durationMs: _, ...outcome } = shownOutcome(await sender.send({ url: 'http://a.example/', headers: {}, body: '{}' }));
    await sender.close();
    expect([name, outcome]).toEqual([
      name,
      { ok: false, errorClass: 'dns', error: 'the host has no public address', phase: 'dns' },
    ]);
  }
});

test('what a receiver itself did is told as it was', () => {
  for (const errorClass of ['connect', 'tls', 'timeout', 'http'] as const) {
    const outcome = { ok: false, durationMs: 1, errorClass, error: 'as it was' };
    expect(shownOutcome(outcome)).toBe(outcome);
  }
});
