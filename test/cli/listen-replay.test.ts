import { afterEach, expect, test } from '@jest/globals';
import { apiOf } from '../../cli/listen/api.ts';
import { createDeliveries } from '../../cli/listen/deliveries.ts';
import { type Registered, register, removeEndpoint } from '../../cli/listen/endpoint.ts';
import { type Receiver, startReceiver } from '../../cli/listen/receiver.ts';
import type { Told } from '../../cli/listen/report.ts';
import { useApp } from '../support/app.ts';
import { waitFor } from '../support/wait-for.ts';

const app = useApp({ workers: true });
let receiver: Receiver | undefined;
afterEach(() => receiver?.close(0));

test('without a local server the key asks Kanal, which sends the last event again', async () => {
  const api = apiOf({ url: app.base, key: app.tenant.key });
  const registered = Promise.withResolvers<Registered>();
  const told: Told[] = [];
  const said: string[] = [];
  const deliveries = createDeliveries({
    api,
    registered: registered.promise,
    timeoutMs: 5_000,
    tell: (one) => void told.push(one),
    say: (line) => void said.push(line),
  });
  receiver = await startReceiver(0, deliveries.handle);
  const endpoint = await register(api, `http://127.0.0.1:${receiver.port}/`, ['contact.created']);
  registered.resolve(endpoint);
  await app.call('contacts.create', { body: { phone_number: `+${app.phone()}` } });
  await waitFor('the event', () => told.length === 1);
  await app.idle();

  await deliveries.replayLast();
  await waitFor('the replay', () => told.length === 2);
  const [first, again] = told;
  expect(said).toEqual([`Kanal sends ${first!.event!.id} again`]);
  expect(again).toMatchObject({ event: first!.event, note: 'again', answer: { status: 204 } });
  expect(again!.arrival.body).toEqual(first!.arrival.body);
  await removeEndpoint(api, endpoint.id);
});
