import { setTimeout as sleep } from 'node:timers/promises';
import type { Stack } from '../stack.ts';

const calls = [
  { method: 'POST', path: '/v1/checkout/sessions' },
  { method: 'GET', path: '/v1/checkout/sessions' },
  { method: 'POST', path: '/xendit/sessions' },
  { method: 'GET', path: '/xendit/sessions' },
  { method: 'POST', path: '/v1/refunds' },
  { method: 'POST', path: '/xendit/refunds' },
  { method: 'POST', path: '/shipper/v1/orders' },
  { method: 'GET', path: '/shipper/v1/orders' },
  { method: 'POST', path: '/calendar/v3/calendars' },
  { method: 'PATCH', path: '/calendar/v3/calendars' },
  { method: 'DELETE', path: '/calendar/v3/calendars' },
];
const told = ['/_control/payments', '/_control/shipments', '/shipper/v1/orders'];
const callKinds = ['drop_before', 'drop_after'];
const webhookKinds = ['drop_webhooks', 'duplicate_webhook', 'reorder_webhooks'];

type Fault = { kind: string; match: { method?: string; path?: string } };
export type Met = Record<string, number>;

/**
 * Connections that the services drop before they have acted, or after it; webhooks that are lost, doubled and shuffled. One for each order that
 * was `begun`, of some twelve calls: a fault costs a try, and the fifth try of a job waits ten minutes. Tells how many of each kind were met.
 */
export async function breakConnections(
  stack: Stack,
  { random, begun, isOver }: { random: () => number; begun: () => number; isOver: () => boolean },
): Promise<Met> {
  const given: Met = {};
  const total = () => Object.values(given).reduce((sum, count) => sum + count, 0);
  const one = <Item>(items: Item[]) => items[Math.floor(random() * items.length)]!;
  const live = async () => (await stack.control<{ faults: Fault[] }>('GET', '/faults')).faults;
  for (; !isOver(); await sleep(100 + random() * 600)) {
    if (total() >= begun()) continue;
    const fault: Fault =
      random() < 0.75 ? { kind: one(callKinds), match: one(calls) } : { kind: one(webhookKinds), match: { path: one(told) } };
    if ((await live()).some(({ match }) => match.method === fault.match.method && match.path === fault.match.path)) continue;
    await stack.control('POST', '/faults', fault);
    given[fault.kind] = (given[fault.kind] ?? 0) + 1;
  }
  for (const { kind } of await live()) given[kind]! -= 1;
  return given;
}

/**
 * One worker or all of them, at random moments, as long as there is work. Each works again before the next is killed: a job is given up after five
 * deaths of its worker.
 */
export async function killWorkers(
  stack: Stack,
  { kills, maxPauseMs, random, isOver }: { kills: number; maxPauseMs: number; random: () => number; isOver: () => boolean },
): Promise<number> {
  let count = 0;
  while (count < kills && !isOver()) {
    await sleep(500 + random() * maxPauseMs);
    if (isOver()) break;
    await (random() < 0.5 ? stack.killWorkers() : stack.killWorker(Math.floor(random() * 100)));
    count += 1;
    await stack.untilWorking();
  }
  return count;
}
