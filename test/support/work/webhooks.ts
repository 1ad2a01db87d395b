import { Delivery, DeliveryAttempt, WebhookEndpoint } from '../../../src/webhooks/endpoint.entity.ts';
import { WebhookReplay } from '../../../src/webhooks/replay/replay.entity.ts';
import { jobRows } from './jobs.ts';
import { type At, rowsOf } from './rows.ts';

export const endpointRows = rowsOf(WebhookEndpoint);
export const deliveryRows = rowsOf(Delivery);
export const attemptRows = rowsOf(DeliveryAttempt);
export const replayRows = rowsOf(WebhookReplay);

/** Counts the deliveries of an endpoint by state. */
export async function deliveryStates(at: At, endpointId: string): Promise<Record<string, number>> {
  const states: Record<string, number> = {};
  for (const { state } of await deliveryRows.all(at, { endpoint_id: endpointId }, ['state']))
    states[state] = (states[state] ?? 0) + 1;
  return states;
}

export async function jobsOfDeliveries(at: At, endpointId: string) {
  const deliveries = await deliveryRows.all(at, { endpoint_id: endpointId }, ['id']);
  return jobRows.all(
    at,
    { subject_id: { $in: deliveries.map(({ id }) => id) } },
    ['id', 'state', 'pool', 'lane', 'attempts', 'run_at'],
    {
      seq: 'asc',
    },
  );
}
