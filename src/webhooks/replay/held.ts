import type { Own } from '../../platform/database/own.ts';
import type { RowOf } from '../../platform/database/tables.ts';
import type { Delivery } from '../endpoint.entity.ts';

/** The lane of ordered deliveries, as emit gives it (platform/events/record.ts); null for an endpoint without order. */
export const laneOf = `
  case when w.ordering = 'per_subject'
       then 'subject:' || w.id || ':' || e.subject_type || ':' || e.subject_id end`;

/** SQL: joined one by one, so that the plan keeps to the keys for any number of deliveries `d`. */
export const laneJoins = `
  cross join lateral (
    select w.id, w.ordering
      from webhook_endpoints w
     where w.organization_id = d.organization_id and w.id = d.endpoint_id
    offset 0) w
  cross join lateral (
    select e.subject_type, e.subject_id, e.seq
      from events e
     where e.organization_id = d.organization_id and e.id = d.event_id
    offset 0) e`;

export type Held = RowOf<typeof Delivery, 'id' | 'event_id' | 'endpoint_id' | 'state' | 'attempts'> & {
  lane: string | null;
  /** Of its event. */
  seq: number;
};

const columns = `d.id, d.event_id, d.endpoint_id, d.state, d.attempts, ${laneOf} as lane, e.seq::float8 as seq`;

/** SQL: a set, locked in the order of the ids. */
const byIds = `
  select ${columns}
    from webhook_deliveries d ${laneJoins}
   where d.organization_id = $1 and d.id = any($2::uuid[])
   order by d.id`;
const byEvents = `
  select ${columns}
    from webhook_deliveries d ${laneJoins}
   where d.organization_id = $1 and d.endpoint_id = $2 and d.event_id = any($3::uuid[])
   order by d.id`;
const held = (statement: string) => `${statement}
     for no key update of d`;
const [heldByIds, heldByEvents] = [held(byIds), held(byEvents)];

type Holding = Own & { assertLocked(lock: string): void };

/**
 * In the order of the events: a delivery may be made long after its event, and ids of events are by the clocks of several hosts. They stay as
 * they are until the commit. Throws LocksOutdated when the lock of a lane is missing.
 */
export const holdDeliveries = async (tx: Holding, ids: string[]) => lockedIn(tx, await tx.sql<Held>(heldByIds, [ids]));
export const holdDeliveriesOf = async (tx: Holding, endpointId: string, eventIds: string[]) =>
  lockedIn(tx, await tx.sql<Held>(heldByEvents, [endpointId, eventIds]));

function lockedIn(tx: Holding, rows: Held[]): Held[] {
  for (const { lane } of rows) if (lane) tx.assertLocked(lane);
  return rows.toSorted((one, other) => one.seq - other.seq);
}

/** For a look: nothing is locked. */
export async function findDelivery(own: Own, id: string): Promise<Held | undefined> {
  const [row] = await own.sql<Held>(byIds, [[id]]);
  return row;
}

export const lanesOf = (rows: { lane: string | null }[]) => rows.flatMap(({ lane }) => lane ?? []);
