import { afterEach, expect, test } from '@jest/globals';
import { useApp } from '../../support/app.ts';
import { drip, flood, type HostileReceiver, startHostileReceiver } from '../../support/hostile-receiver.ts';
import { startReceiver } from '../../support/receiver.ts';
import { waitFor } from '../../support/wait-for.ts';

const app = useApp({ workers: true });
const stops: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

type Attempt = {
  url: string;
  state: string;
  status: number | null;
  error_class: string | null;
  size: number;
  duration_ms: number;
};

test('receivers that answer without an end, or with nonsense, fail in their class, and a good one has its events beside them', async () => {
  const wanted = new Map<string, Partial<Attempt>>();
  const receivers: HostileReceiver[] = [];
  const listen = async (url: string, more: Partial<Attempt>) => {
    await app.call('webhooks.endpoints.create', { body: { url, event_types: ['contact.created'] } });
    wanted.set(url, more);
  };
  const hostile = async (answer: Parameters<typeof startHostileReceiver>[0], more: Partial<Attempt>) => {
    const receiver = await startHostileReceiver(answer);
    receivers.push(receiver);
    stops.push(() => receiver.close());
    await listen(receiver.url, more);
  };
  const http = { state: 'pending', status: null, error_class: 'http' };
  const taken = { state: 'succeeded', status: 200, error_class: null };
  const good = await startReceiver();
  stops.push(() => good.close());

  await hostile((socket) => {
    socket.write('HTTP/1.1 200 OK\r\ncontent-length: 104857600\r\n\r\n');
    flood(socket, 'a');
  }, taken);
  await hostile((socket) => {
    socket.write('HTTP/1.1 200 OK\r\n');
    flood(socket, 'x-a: b\r\n');
  }, http);
  await hostile((socket) => flood(socket, 'HTTP/1.1 103 Early Hints\r\n\r\n'), http);
  await hostile(
    (socket) => {
      socket.write('HTTP/1.1 200 OK\r\nx-a: ');
      drip(socket, 'a');
    },
    { ...http, error_class: 'timeout' },
  );
  await hostile((socket) => socket.end('220 smtp ready\r\n\r\n'), http);
  await hostile((socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf'), taken);
  await hostile((socket) => socket.resetAndDestroy(), http);
  await listen(good.url, taken);
  expect(wanted.size).toBe(8);

  await app.call('contacts.create', { body: { phone_number: `+${app.phone()}` } });
  const attempts = await waitFor('an attempt at each', async () => {
    const rows = await app.rows<Attempt>(
      `select distinct on (w.id) w.url, d.state, a.status, a.error_class, coalesce(octet_length(a.response_head), 0) as size
         from webhook_endpoints w
         join webhook_deliveries d on d.endpoint_id = w.id
         join webhook_attempts a on a.delivery_id = d.id
        order by w.id, a.number`,
    );
    return rows.length === wanted.size && rows;
  });
  for (const { url, size, ...attempt } of attempts) {
    expect([url, attempt]).toEqual([url, wanted.get(url)]);
    expect(size).toBeLessThanOrEqual(20_000);
  }
  expect(good.ofType('contact.created')).toHaveLength(1);
  // A connection each, at most two tries by now: no more than the system keeps for them.
  for (const receiver of receivers) expect(receiver.written()).toBeLessThan(32 * 1024 * 1024);
});
