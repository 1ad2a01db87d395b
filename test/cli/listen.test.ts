import { expect, test } from '@jest/globals';
import { useApp } from '../support/app.ts';
import { waitFor } from '../support/wait-for.ts';
import { listening, whenReached } from './listening.ts';

const app = useApp({ workers: true });

test('an event arrives, is verified and shown in a line; Ctrl-C removes the endpoint', async () => {
  const listens = await whenReached(listening({ KANAL_URL: app.base, KANAL_API_KEY: app.tenant.key }));
  expect(listens.output()).toContain(`Kanal at ${app.base} sends every event here`);
  const endpointID = listens.told('Endpoint');
  const { body: endpoint } = await app.call('webhooks.endpoints.get', { params: { endpointID } });
  expect(endpoint).toMatchObject({ url: listens.told('Address'), event_types: ['*'], enabled: true });
  const { body } = await app.call('contacts.create', { body: { phone_number: `+${app.phone()}`, name: 'Ada' } });
  const line = await waitFor('its line', () => listens.lines().find((one) => one.includes('contact.created')));
  expect(line).toMatch(
    new RegExp(
      `^\\d\\d:\\d\\d:\\d\\d\\.\\d{3}  contact\\.created +  [0-9a-f-]{36}  contact …${body.data.id.slice(-6)} +  ✓ verified  204  \\d+ ms$`,
    ),
  );
  expect(listens.lines().some((other) => other.includes('webhook.test'))).toBe(false);
  // No terminal: not one escape.
  expect(listens.output()).not.toContain('\u001b');
  expect(await listens.end()).toBe(0);
  expect(listens.output()).toMatch(/\nRemoved the endpoint\. Events: \d+, not verified: 0\n$/);
  expect(listens.errors()).toBe('');
  expect((await app.call('webhooks.endpoints.list')).body.items).toEqual([]);
});
