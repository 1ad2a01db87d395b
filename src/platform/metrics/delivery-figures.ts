import { Gauge, type Registry } from 'prom-client';
import type { QueueName } from '../ledger/queue-names.ts';

const queues: QueueName[] = ['webhooks', 'webhook-retries'];
const openStates = ['pending', 'waiting', 'blocked', 'held', 'retrying'] as const;

type Ended = { queue: string; state: string; jobs: number };
type Live = Ended & { is_later: boolean; overdue: number };
export type DeliveryFigures = {
  live: Live[];
  ended: Ended[];
  failing: { endpoints: number; longest: number };
};

/** The backlog of webhooks, from the same counts as the jobs by queue: all jobs of these queues are deliveries. */
export function deliveryGauges(registry: Registry): { show(figures: DeliveryFigures | undefined): void } {
  const gauge = (name: string, help: string, ...labelNames: string[]) =>
    new Gauge({ name, help, labelNames, registers: [registry] });
  const deliveries = gauge(
    'kanal_webhook_deliveries',
    'Webhook deliveries that are not done: pending (a worker should have it), waiting (no room at its endpoint: throttled), blocked (behind another of its subject), held (its endpoint is disabled), retrying (a later attempt, or one that a replay asked for, is planned), failed (for good, can be replayed)',
    'state',
  );
  const overdue = gauge(
    'kanal_webhook_deliveries_oldest_overdue_seconds',
    'How long the oldest delivery whose attempt could have been made is waiting by now, whatever holds it up; 0: none is overdue',
    'state',
  );
  const failing = gauge(
    'kanal_webhook_endpoints_failing',
    'Enabled endpoints with nothing but failures since their last success',
  );
  const longest = gauge('kanal_webhook_endpoints_failing_longest_seconds', 'Since when the longest of them has been failing');
  return {
    show(figures) {
      for (const labelled of [deliveries, overdue]) labelled.reset();
      for (const single of [failing, longest]) single.remove();
      if (!figures) return;
      for (const state of [...openStates, 'failed']) deliveries.set({ state }, 0);
      for (const state of openStates) overdue.set({ state }, 0);
      const oldest = new Map<string, number>();
      for (const row of figures.live.filter(isDelivery)) {
        const state = stateOf(row);
        deliveries.inc({ state }, row.jobs);
        oldest.set(state, Math.max(oldest.get(state) ?? 0, row.overdue));
      }
      for (const [state, seconds] of oldest) overdue.set({ state }, seconds);
      for (const { jobs } of figures.ended.filter((row) => isDelivery(row) && row.state === 'failed'))
        deliveries.inc({ state: 'failed' }, jobs);
      failing.set(figures.failing.endpoints);
      longest.set(figures.failing.longest);
    },
  };
}

const isDelivery = ({ queue }: Ended) => (queues as string[]).includes(queue);

/**
 * By the queue whose workers should have it, now or at its time: the queue of later attempts is that of replays, too. One without room, behind
 * another or on hold counts as that.
 */
function stateOf({ state, queue, is_later }: Live): string {
  if (state !== 'queued' && state !== 'parked') return state;
  return is_later || queue === 'webhook-retries' ? 'retrying' : 'pending';
}
