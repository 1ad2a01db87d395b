import type { Em } from '../../../src/platform/database/database.ts';
import { Event } from '../../../src/platform/events/event.entity.ts';
import { Delivery, WebhookEndpoint } from '../../../src/webhooks/endpoint.entity.ts';
import { jobsOf } from './ledger-jobs.ts';

/** The ids of the events that an endpoint gets, in the order of the events. */
export async function deliveredEvents(em: Em, endpointId: string): Promise<string[]> {
  const deliveries = await em.find(Delivery, { endpoint_id: endpointId });
  const ids = deliveries.map(({ event_id }) => event_id);
  return (await em.find(Event, { id: { $in: ids } }, { orderBy: { seq: 'asc' } })).map(({ id }) => id);
}

/** The same ids, in the order of the jobs that deliver them. */
export async function eventsInLaneOrder(em: Em, endpointId: string): Promise<string[]> {
  const deliveries = await em.find(Delivery, { endpoint_id: endpointId });
  const eventOf = new Map(deliveries.map(({ id, event_id }) => [id, event_id]));
  const jobs = await jobsOf(em, [...eventOf.keys()]);
  return jobs.map(({ subject_id }) => eventOf.get(subject_id)!);
}

/** The deliveries to an endpoint with the subject of their events, in the order of the events. */
export async function deliveriesOf(em: Em, endpointId: string) {
  const deliveries = await em.find(Delivery, { endpoint_id: endpointId });
  const byEvent = new Map(deliveries.map((delivery) => [delivery.event_id, delivery]));
  const events = await em.find(Event, { id: { $in: [...byEvent.keys()] } }, { orderBy: { seq: 'asc' } });
  return events.map(({ id, subject_id: subject }) => {
    const delivery = byEvent.get(id)!;
    return { id: delivery.id, state: delivery.state, subject };
  });
}

/** No event has a subscriber any more. */
export async function deleteEndpoints(em: Em) {
  await em.nativeDelete(Delivery, {});
  await em.nativeDelete(WebhookEndpoint, {});
}
