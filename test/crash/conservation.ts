import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from '@jest/globals';
import { query } from '../../src/platform/database/query.ts';
import { checkJobs } from '../../src/platform/ledger/check.ts';
import type { Stack } from './stack.ts';

/** Sends `count` texts round the phones, `parallel` at a time, and tells when each has its answer. */
export async function sendAll(
  stack: Stack,
  channelId: string,
  phones: string[],
  count: number,
  parallel = 10,
): Promise<string[]> {
  const ids: string[] = [];
  let next = 0;
  const one = async () => {
    while (next < count) {
      const index = next;
      next += 1;
      ids.push(await stack.sendSurely(channelId, phones[index % phones.length]!, `text ${index}`));
    }
  };
  await Promise.all(Array.from({ length: parallel }, one));
  return ids;
}

const unsettled = `select (select count(*)::int from messages where direction = 'outbound' and status in ('queued', 'sending', 'sent', 'delivered')) as messages,
  (select count(*)::int from webhook_deliveries where state = 'pending') as deliveries, (select count(*)::int from provider_webhooks where state = 'received') as inbound,
  (select count(*)::int from webhook_deliveries where state <> 'pending') + (select count(*)::int from provider_webhooks where state <> 'received') as done`;

/** So long nothing may stand still; the wait for a worker's dead runs is a few seconds. */
const standstillMs = 60_000;

/** Until every message is read or failed and every event delivered; how long that takes is the machine's affair, as long as it goes on. */
export async function untilSettled(stack: Stack) {
  let last: { messages: number; deliveries: number; inbound: number; done: number } | undefined;
  // Each message that goes on leaves more to deliver: what is left may rise for minutes.
  let most = -1;
  for (let movedAt = Date.now(); Date.now() < movedAt + standstillMs; await sleep(200)) {
    [last] = await query<NonNullable<typeof last>>(stack.database.em(), unsettled).catch(() => [undefined]);
    if (!last) continue;
    if (last.messages + last.deliveries + last.inbound === 0) return;
    if (last.done > most) [most, movedAt] = [last.done, Date.now()];
  }
  const rows = await query(
    stack.database.em(),
    `select name, queue, state, run, attempts, run_at - now() as due, check_at - now() as check, error from jobs where state not in ('done') order by seq limit 8`,
  );
  throw new Error(`Not settled: ${JSON.stringify(last)} ${JSON.stringify(rows)}\n${stack.workerOutput().slice(-3000)}`);
}

/** Accepted = sent, none failed, nothing doubled, every event delivered, the ledger clean. */
export async function expectConserved(stack: Stack, accepted: string[]) {
  const rows = await query<{ id: string; status: string; resends: number }>(
    stack.database.em(),
    `select id, status, resends from messages where direction = 'outbound'`,
  );
  expect(new Set(rows.map(({ id }) => id))).toEqual(new Set(accepted));
  expect(rows.filter(({ status }) => status !== 'read')).toEqual([]);

  const { messages } = await stack.control<{ messages: { callback_data: string }[] }>('GET', '/messages');
  const arrivals = Map.groupBy(messages, ({ callback_data }) => callback_data);
  const resent = new Set(rows.filter(({ resends }) => resends > 0).map(({ id }) => id));
  expect(accepted.filter((id) => !arrivals.has(id))).toEqual([]);
  // A second arrival only where the answer was truly lost and the window passed.
  expect(accepted.filter((id) => arrivals.get(id)!.length > (resent.has(id) ? 2 : 1))).toEqual([]);

  const events = await query<{ id: string; type: string; data: { message_id?: string; status?: string } }>(
    stack.database.em(),
    'select e.id, e.type, e.data from events e join webhook_deliveries d on d.event_id = e.id',
  );
  const received = Map.groupBy(stack.receiver.received, ({ id }) => id);
  expect(events.filter(({ id }) => !received.has(id)).map(({ type }) => type)).toEqual([]);
  expect([...received.values()].filter((tries) => new Set(tries.map(({ body }) => body)).size > 1)).toEqual([]);
  expect(stack.receiver.faults).toEqual([]);
  for (const type of [
    'message.sent',
    'message.status_update:sent',
    'message.status_update:delivered',
    'message.status_update:read',
  ]) {
    const [name, status] = type.split(':');
    const emitted = events
      .filter((event) => event.type === name && (!status || event.data.status === status))
      .map(({ data }) => data.message_id!);
    expect({ type, twice: emitted.length - new Set(emitted).size }).toEqual({ type, twice: 0 });
    if (name === 'message.sent' || status === 'read') expect(new Set(emitted)).toEqual(new Set(accepted));
  }
  expect(await checkJobs(stack.database)).toEqual([]);
}
