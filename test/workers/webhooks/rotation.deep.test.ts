import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { Webhook as SvixWebhook } from 'svix';
import { useApp } from '../../support/app.ts';
import { type Delivered, type Receiver, startReceiver } from '../../support/receiver.ts';
import { waitFor } from '../../support/wait-for.ts';
import { ago } from '../../support/work/rows.ts';
import { endpointRows } from '../../support/work/webhooks.ts';

const app = useApp({ workers: true });
let receiver: Receiver;

beforeEach(async () => {
  receiver = await startReceiver();
});
afterEach(() => receiver.close());

const listen = async (): Promise<{ id: string; secret: string }> =>
  (await app.call('webhooks.endpoints.create', { body: { url: receiver.url, event_types: ['message.sent'] } })).body;
const rotate = async (id: string, overlap_hours: number): Promise<string> =>
  (await app.call('webhooks.endpoints.rotate-secret', { params: { endpointID: id }, body: { overlap_hours } })).body.secret;

async function delivered(id: string): Promise<Delivered> {
  const before = receiver.received.length;
  await app.call('webhooks.endpoints.test', { params: { endpointID: id } });
  await waitFor('a delivery', () => receiver.received.length > before);
  return receiver.received.at(-1)!;
}

function accepts(secret: string, { raw, headers }: Delivered): boolean[] {
  return [Webhook, SvixWebhook].map((Verifier) => {
    try {
      new Verifier(secret).verify(raw, headers as Record<string, string>);
      return true;
    } catch {
      return false;
    }
  });
}
const both = [true, true];
const neither = [false, false];
const signatures = ({ headers }: Delivered) => String(headers['webhook-signature']).split(' ').length;

test('while the overlap lasts both secrets verify every delivery, then the new one alone', async () => {
  const { id, secret: old } = await listen();
  const current = await rotate(id, 24);
  const during = await delivered(id);
  expect([signatures(during), accepts(old, during), accepts(current, during)]).toEqual([2, both, both]);
  // Over, though not erased yet.
  await endpointRows.change(app, id, { previous_secret_until: ago('1 ms') });
  const after = await delivered(id);
  expect([signatures(after), accepts(old, after), accepts(current, after)]).toEqual([1, neither, both]);
});

test('without an overlap the old secret signs nothing more', async () => {
  const { id, secret: old } = await listen();
  const current = await rotate(id, 0);
  const got = await delivered(id);
  expect([signatures(got), accepts(old, got), accepts(current, got)]).toEqual([1, neither, both]);
});

test('a delivery that was accepted before a rotation is signed with the secrets of its attempt', async () => {
  const { id, secret: old } = await listen();
  receiver.answer({ status: 500 }, {});
  await app.call('webhooks.endpoints.update', { params: { endpointID: id }, body: { event_types: ['endpoint.*'] } });
  const other = await listen();
  await app.call('webhooks.endpoints.disable', { params: { endpointID: other.id } });
  await waitFor('the first attempt', () => receiver.received.length === 1);
  const current = await rotate(id, 1);
  await waitFor('the second', () => receiver.received.length === 2);
  const [first, second] = receiver.received as [Delivered, Delivered];
  expect(second.headers['webhook-id']).toBe(first.headers['webhook-id']);
  expect([accepts(current, first), accepts(old, second), accepts(current, second)]).toEqual([neither, both, both]);
});
