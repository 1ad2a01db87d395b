import type { Own } from '../platform/database/own.ts';
import type { RowOf } from '../platform/database/tables.ts';
import { notFound } from '../platform/errors.ts';
import type { Event } from '../platform/events/event.entity.ts';
import { getEvent } from '../platform/events/list.ts';
import { firstIdAt } from '../platform/ids.ts';
import { type Bind, bindTo } from '../platform/listing/bind.ts';
import type { Reads } from '../platform/listing/reads.ts';
import { readInWindows, type Seen } from '../platform/listing/windows.ts';
import { momentMs } from '../platform/time/moment.ts';
import { isDraining } from './draining.ts';
import { type Delivery, type DeliveryAttempt, type DeliveryState, deliveryStates } from './endpoint.entity.ts';
import { getEndpoint } from './endpoints.ts';

type LastAttempt = RowOf<typeof DeliveryAttempt, 'status' | 'error_class' | 'error' | 'phase' | 'duration_ms' | 'created_at'>;
export type DeliveryRow = RowOf<
  typeof Delivery,
  'id' | 'event_id' | 'endpoint_id' | 'state' | 'attempts' | 'next_attempt_at' | 'is_test' | 'created_at' | 'finished_at'
> & {
  event_type: RowOf<typeof Event, 'type'>['type'];
  /** Waits until its endpoint is enabled; not what is still delivered while it is disabled. */
  is_held: boolean;
  last_attempt: LastAttempt | null;
};

export type DeliveryFilter = { state?: DeliveryState; types?: string[]; since?: string; until?: string };
type DeliveryPage = { limit: number; after?: string };

/** Deliveries compared for a page when it is filtered by the type of the event. */
const maxCompared = 20_000;
/** Ids and `created_at` are made one after the other. */
const slackMs = 1_000;

/** SQL (all of this file): parts that several statements share; a list reads one range of an index for each state, merged. */
const shown = `
  d.id, d.event_id, d.endpoint_id, d.state, d.attempts, d.next_attempt_at, d.is_test, d.created_at, d.finished_at,
  e.type as event_type,
  d.state = 'pending' and not w.enabled and not ${isDraining('d.organization_id', 'd.id')} as is_held,
  (select to_jsonb(l)
     from (select a.status, a.error_class, a.error, a.phase, a.duration_ms, a.created_at
             from webhook_attempts a
            where a.organization_id = d.organization_id and a.delivery_id = d.id
            order by a.number desc
            limit 1) l) as last_attempt`;
const joined = `
  join events e on e.organization_id = d.organization_id and e.id = d.event_id
  join webhook_endpoints w on w.organization_id = d.organization_id and w.id = d.endpoint_id`;

export async function getDelivery(own: Own, id: string): Promise<DeliveryRow> {
  const [row] = await own.sql<DeliveryRow>(
    `select ${shown}
       from webhook_deliveries d ${joined}
      where d.organization_id = $1 and d.id = $2`,
    [id],
  );
  if (!row) throw notFound('Webhook delivery');
  return row;
}

/** All of them: one for each endpoint at most. */
export async function deliveriesOfEvent(own: Own, eventId: string): Promise<DeliveryRow[]> {
  await getEvent(own, eventId);
  return own.sql<DeliveryRow>(
    `select ${shown}
       from webhook_deliveries d ${joined}
      where d.organization_id = $1 and d.event_id = $2
      order by d.id desc`,
    [eventId],
  );
}

/** Newest first, one row more than the limit when there are more. `end`: where to go on when not all could be compared. Throws 404. */
export async function deliveriesOfEndpoint(
  reads: Reads,
  own: Own,
  endpointId: string,
  filter: DeliveryFilter,
  { limit, after }: DeliveryPage,
): Promise<{ rows: DeliveryRow[]; end?: string }> {
  await getEndpoint(own, endpointId);
  const { organizationId } = own;
  if (!filter.types) {
    const { text, params } = newestStatement(organizationId, endpointId, filter, after, limit + 1);
    return { rows: await reads.plain<DeliveryRow>(text, params) };
  }
  return reads.dear(organizationId, (ask) =>
    readInWindows<DeliveryRow, string>(
      { limit, most: maxCompared, ms: reads.bounds.ms },
      after,
      (window) => {
        const { text, params } = windowStatement(organizationId, endpointId, filter, window);
        return ask<DeliveryRow & Seen>(text, params);
      },
      ({ id }) => id,
    ),
  );
}

function newestStatement(
  organizationId: string,
  endpointId: string,
  filter: DeliveryFilter,
  after: string | undefined,
  length: number,
) {
  const params: unknown[] = [organizationId, endpointId];
  const text = `
    select ${shown}
      from (${newestSql(filter, after, bindTo(params), length)}) d ${joined}
     order by d.id desc`;
  return { text, params };
}

function windowStatement(
  organizationId: string,
  endpointId: string,
  filter: DeliveryFilter,
  { after, length, wanted }: { after: string | undefined; length: number; wanted: number },
) {
  const params: unknown[] = [organizationId, endpointId];
  const bind = bindTo(params);
  const newest = newestSql(filter, after, bind, length);
  const matches = `e.type = any(${bind(filter.types)}::text[])`;
  const isEnd = `d.place = ${bind(length)}`;
  const text = `
    select ${shown}, ${matches} as is_match, ${isEnd} as is_end
      from (select d.*, row_number() over (order by d.id desc) as place from (${newest}) d) d ${joined}
     where ${matches} or ${isEnd}
     order by d.id desc
     limit ${bind(wanted)}`;
  return { text, params };
}

/** The newest of an endpoint ($2): each state is a range of webhook_deliveries_endpoint. */
function newestSql({ state, since, until }: DeliveryFilter, after: string | undefined, bind: Bind, length: number): string {
  const conditions = [
    ...(after === undefined ? [] : [`d.id < ${bind(after)}::uuid`]),
    ...(since === undefined
      ? []
      : [`d.id >= ${bind(firstIdAt(momentMs(since) - slackMs))}::uuid`, `d.created_at >= ${bind(since)}::timestamptz`]),
    ...(until === undefined
      ? []
      : [`d.id < ${bind(firstIdAt(momentMs(until) + slackMs))}::uuid`, `d.created_at < ${bind(until)}::timestamptz`]),
  ];
  const size = bind(length);
  const ranges = (state ? [state] : deliveryStates).map(
    (one) => `
      (select d.*
         from webhook_deliveries d
        where d.organization_id = $1 and d.endpoint_id = $2 and d.state = '${one}'
          ${conditions.map((condition) => `and ${condition}`).join(' ')}
        order by d.id desc
        limit ${size})`,
  );
  return `
    select *
      from (${ranges.join(' union all ')}) r
     order by id desc
     limit ${size}`;
}
