import { expect, test } from '@jest/globals';
import { useApp } from '../support/app.ts';
import { freePort } from '../support/servers/child.ts';
import { waitFor } from '../support/wait-for.ts';
import { listening } from './listening.ts';

// As in production: https to public addresses only. And no worker.
const app = useApp({ env: { WEBHOOK_ALLOW_HTTP: 'false', WEBHOOK_ALLOW_NETWORKS: '' } });
const there = () => ({ KANAL_URL: app.base, KANAL_API_KEY: app.tenant.key });

test('--public-url is where Kanal delivers to; what does not arrive is said', async () => {
  const port = String(await freePort());
  const listens = listening(there(), '--public-url', 'https://my-tunnel.example/in', '--port', port);
  await waitFor('the endpoint', () => listens.output().includes('Endpoint'));
  expect(listens.told('Address')).toBe('https://my-tunnel.example/in');
  expect(await app.one('select url from webhook_endpoints')).toEqual({ url: 'https://my-tunnel.example/in' });
  expect((await fetch(`http://127.0.0.1:${port}/in`, { method: 'POST' })).status).toBe(401);
  const warning = 'No test arrived within 10 s. Is a worker running, and does https://my-tunnel.example/in lead here';
  await waitFor('the warning', () => listens.output().includes(warning));
  expect(await listens.end()).toBe(0);
});
