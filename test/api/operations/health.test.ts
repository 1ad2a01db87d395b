import { expect, test } from '@jest/globals';
import { useApp } from '../../support/app.ts';
import { waitFor } from '../../support/wait-for.ts';

const app = useApp();

test('/healthz says that the process lives, without a key', async () => {
  const { status, body } = await app.raw('GET', '/healthz', { key: null });
  expect([status, body]).toEqual([200, { status: 'ok' }]);
});

test('/readyz says what the process needs and has', async () => {
  const body = await waitFor('the queue', async () => {
    const reply = await app.raw('GET', '/readyz', { key: null });
    return reply.body.queue === 'ok' && reply.status === 200 && reply.body;
  });
  expect(body).toEqual({ status: 'ok', database: 'ok', migrations: 'ok', queue: 'ok' });
});

test('health checks are no request lines in the log', () => {
  expect(app.requestLines()).toEqual([]);
});
