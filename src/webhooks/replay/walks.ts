import type { Own } from '../../platform/database/own.ts';
import type { RowOf } from '../../platform/database/tables.ts';
import type { Event } from '../../platform/events/event.entity.ts';
import { idAfter } from '../../platform/ids.ts';
import { stateIs } from '../../platform/ledger/states.ts';
import type { OwnTx } from '../../platform/ledger/tx.ts';
import type { Delivery } from '../endpoint.entity.ts';
import { cancelDeliveries } from '../pending/cancel.ts';
import { holdDeliveries, holdDeliveriesOf, laneJoins, laneOf } from './held.ts';
import type { ReplayKind, WebhookReplay } from './replay.entity.ts';
import { tryAgain, tryNow } from './tries.ts';

export type Replay = RowOf<
  typeof WebhookReplay,
  'id' | 'endpoint_id' | 'kind' | 'since' | 'until' | 'event_types' | 'position' | 'last_id' | 'left_id' | 'created_at'
>;
/** `size`: at most so many deliveries a step. */
type Found = { ids: string[]; lanes: string[]; next: string; isLast: boolean };
type Walk = {
  find(own: Own, replay: Replay, size: number): Promise<Found>;
  /** `left`: deliveries to come back to. */
  take(tx: OwnTx, replay: Replay, ids: string[]): Promise<{ done: number; left: string[] }>;
};

/** Rows read for a step, of which perhaps none is wanted. A small step at a steady pace must not read what the next ones read again. */
const rowsRead = (size: number) => Math.min(1_000, 20 * size);

type Row = { id: string; lane: string | null; is_wanted: boolean };

/** Where the next step begins: after the last wanted row of a full step, else after the last row read. */
function foundIn(rows: Row[], { last_id }: Replay, size: number, limit: number): Found {
  const wanted = rows.filter((row) => row.is_wanted);
  const isCut = wanted.length > size;
  const taken = wanted.slice(0, size);
  const isLast = !isCut && rows.length < limit;
  const last = isCut ? taken.at(-1) : rows.at(-1);
  return {
    ids: taken.map(({ id }) => id),
    lanes: [...new Set(taken.flatMap(({ lane }) => lane ?? []))],
    next: isLast || !last ? last_id : idAfter(last.id),
    isLast,
  };
}

/** SQL (all of this file): a part of an index, and joins that stay within it. */
const failedStatement = `
  select d.id, ${laneOf} as lane, true as is_wanted
    from (
      select *
        from webhook_deliveries d
       where d.organization_id = $1 and d.endpoint_id = $2 and d.state = 'failed' and not d.is_test
         and d.id >= $3 and d.id < $4
       order by d.id
       limit $5) d ${laneJoins}
   order by d.id`;

const recover: Walk = {
  async find(own, replay, size) {
    const { endpoint_id, position, last_id } = replay;
    const rows = await own.sql<Row>(failedStatement, [endpoint_id, position, last_id, size]);
    return foundIn(rows, replay, size, size);
  },
  async take(tx, _replay, ids) {
    const held = await holdDeliveries(tx, ids);
    const failed = held.filter(({ state }) => state === 'failed');
    return { done: await tryAgain(tx, failed, { trigger: 'recover', isBulk: true }), left: [] };
  },
};

/** Neither a test, which was sent to one endpoint, nor what tells the others of this endpoint. */
const eventsStatement = `
  select e.id, ${laneOf} as lane,
         e.type = any($6::text[]) and e.subject_id <> $2
         and e.created_at >= $7::timestamptz and e.created_at < $8::timestamptz
         and not exists (
           select 1 from webhook_deliveries t
            where t.organization_id = e.organization_id and t.event_id = e.id and t.is_test) as is_wanted
    from (
      select *
        from events e
       where e.organization_id = $1 and e.id >= $3 and e.id < $4
       order by e.id
       limit $5) e
   cross join lateral (
      select w.id, w.ordering
        from webhook_endpoints w
       where w.organization_id = $1 and w.id = $2
      offset 0) w
   order by e.id`;

/** A purge that is at an event waits, or it is gone here. */
const keepEvents = `
  select id
    from events
   where organization_id = $1 and id = any($2::uuid[])
   order by id
     for key share`;

const makeDeliveries = `
  insert into webhook_deliveries (id, organization_id, event_id, endpoint_id, state, next_attempt_at)
  select uuidv7(), $1, x.id, $2, 'pending', clock_timestamp()
    from (select * from unnest($3::uuid[]) with ordinality as x(id, ord) order by ord) x
  on conflict on constraint webhook_deliveries_once do nothing
  returning id`;

const replay: Walk = {
  async find(own, replay, size) {
    const { endpoint_id, position, last_id, event_types, since, until, created_at } = replay;
    const rows = await own.sql<Row>(eventsStatement, [
      endpoint_id,
      position,
      last_id,
      rowsRead(size),
      event_types,
      since,
      until ?? created_at,
    ]);
    return foundIn(rows, replay, size, rowsRead(size));
  },
  async take(tx, { endpoint_id: endpointId }, eventIds) {
    const kept = (await tx.sql<RowOf<typeof Event, 'id'>>(keepEvents, [eventIds])).map(({ id }) => id);
    const made = new Set((await tx.sql<RowOf<typeof Delivery, 'id'>>(makeDeliveries, [endpointId, kept])).map(({ id }) => id));
    const held = await holdDeliveriesOf(tx, endpointId, kept);
    const how = { trigger: 'replay', isBulk: true } as const;
    const isOver = ({ id, state }: (typeof held)[number]) => state !== 'pending' || made.has(id);
    const planned = held.filter((one) => !isOver(one)).map(({ id }) => id);
    const again = await tryAgain(tx, held.filter(isOver), how);
    return { done: again + (await tryNow(tx, planned, how)), left: [] };
  },
};

const pendingStatement = `
  select d.id, true as is_wanted, j.lane
    from (
      select d.id, d.organization_id
        from webhook_deliveries d
       where d.organization_id = $1 and d.endpoint_id = $2 and d.state = 'pending' and d.id >= $3 and d.id < $4
       order by d.id
       limit $5) d
    left join lateral (
      select j.lane
        from jobs j
       where j.organization_id = d.organization_id and j.subject_id = d.id and j.name = 'webhooks.deliver'
         and ${stateIs('j.state', 'blocked', 'waiting', 'queued')}
       limit 1) j on true
   order by d.id`;

const cancel: Walk = {
  async find(own, replay, size) {
    const { endpoint_id, position, last_id } = replay;
    const rows = await own.sql<Row>(pendingStatement, [endpoint_id, position, last_id, size]);
    return foundIn(rows, replay, size, size);
  },
  take: (tx, _replay, ids) => cancelDeliveries(tx, ids),
};

export const walks: Record<ReplayKind, Walk> = { recover, replay, cancel };
