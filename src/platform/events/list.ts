import type { Own } from '../database/own.ts';
import { statement } from '../database/statement.ts';
import type { RowOf } from '../database/tables.ts';
import { notFound } from '../errors.ts';
import { bindTo } from '../listing/bind.ts';
import type { Ask } from '../listing/paging.ts';
import type { Reads } from '../listing/reads.ts';
import { readInWindows, type Seen } from '../listing/windows.ts';
import { Event } from './event.entity.ts';

const columns = ['id', 'organization_id', 'seq', 'type', 'subject_type', 'subject_id', 'data', 'created_at'] as const;
export type EventRow = RowOf<typeof Event, (typeof columns)[number]>;

export type EventFilter = {
  types?: string[];
  subject?: { type: string; id: string };
  since?: string;
  /** False: some delivery of it has not succeeded; true: it has deliveries, and all have. Tests of an endpoint do not count. */
  isDelivered?: boolean;
};

/** `after` is the last seq seen; `upTo` the last one that may be shown. */
export type EventRange = { order: 'asc' | 'desc'; after?: string; upTo?: string; limit: number };

/** Events compared for a page. */
const maxCompared = 20_000;

const eventById = statement((select, { id }: { id: string }) => select(Event).select(columns).where('id', '=', id));

export async function getEvent(own: Own, id: string): Promise<EventRow> {
  const [event] = await eventById(own, { id });
  if (!event) throw notFound('Event');
  return event;
}

/** One row more than the limit when there are more. `end`: where to go on when not all could be compared. */
export async function listEvents(
  reads: Reads,
  own: Own,
  filter: EventFilter,
  range: EventRange,
): Promise<{ rows: EventRow[]; end?: string }> {
  const { organizationId } = own;
  const from = filter.since === undefined ? undefined : await seqSince(own, filter.since);
  if (filter.types === undefined && filter.isDelivered === undefined) {
    const { text, params } = eventsStatement(organizationId, filter, { ...range, from });
    return { rows: await reads.plain<EventRow>(text, params) };
  }
  return reads.dear(organizationId, (ask: Ask) =>
    readInWindows<EventRow, string>(
      { limit: range.limit, most: maxCompared, ms: reads.bounds.ms },
      range.after,
      ({ after, length, wanted }) => {
        const { text, params } = windowStatement(organizationId, filter, { ...range, after, from }, length, wanted);
        return ask<EventRow & Seen>(text, params);
      },
      ({ seq }) => seq,
    ),
  );
}

type From = { from: string | undefined };

/** SQL (all of this file): the client's filter and order decide the statement, which is planned for its values. */
function whereOf({ subject, since }: EventFilter, { order, after, upTo, from }: EventRange & From, params: unknown[]): string {
  const bind = bindTo(params);
  const conditions = ['k.organization_id = $1'];
  if (subject) conditions.push(`k.subject_id = ${bind(subject.id)}::uuid`, `k.subject_type = ${bind(subject.type)}`);
  if (after !== undefined) conditions.push(`k.seq ${order === 'asc' ? '>' : '<'} ${bind(after)}::bigint`);
  if (upTo !== undefined) conditions.push(`k.seq <= ${bind(upTo)}::bigint`);
  if (from !== undefined) conditions.push(`k.seq >= ${bind(from)}::bigint`);
  if (since !== undefined) conditions.push(`k.created_at >= ${bind(since)}::timestamptz`);
  return conditions.join(' and ');
}

const listOf = (alias: string) => columns.map((column) => `${alias}.${column}`).join(', ');

function eventsStatement(organizationId: string, filter: EventFilter, range: EventRange & From) {
  const params: unknown[] = [organizationId];
  const text = `
    select ${listOf('k')}
      from events k
     where ${whereOf(filter, range, params)}
     order by k.seq ${range.order}
     limit ${bindTo(params)(range.limit + 1)}`;
  return { text, params };
}

function windowStatement(organizationId: string, filter: EventFilter, range: EventRange & From, length: number, wanted: number) {
  const params: unknown[] = [organizationId];
  const bind = bindTo(params);
  const where = whereOf(filter, range, params);
  const last = bind(length);
  const matches = [
    ...(filter.types ? [`k.type = any(${bind(filter.types)}::text[])`] : []),
    ...(filter.isDelivered === undefined ? [] : [filter.isDelivered ? isDelivered : isUndelivered]),
  ].join(' and ');
  const text = `
    select *
      from (select ${listOf('k')}, k.place = ${last} as is_end, ${matches} as is_match
              from (select k.*, row_number() over (order by k.seq ${range.order}) as place
                      from events k
                     where ${where}
                     order by k.seq ${range.order}
                     limit ${last}) k) k
     where k.is_match or k.is_end
     order by k.seq ${range.order}
     limit ${bind(wanted)}`;
  return { text, params };
}

/** Not `exists`: the planner might hash the deliveries of all events. */
const hasDelivery = (condition: string) => `
  (select 1
     from webhook_deliveries d
    where d.organization_id = k.organization_id and d.event_id = k.id and not d.is_test and ${condition}
    limit 1) is not null`;
const isUndelivered = hasDelivery(`d.state <> 'succeeded'`);
const isDelivered = `(${hasDelivery(`d.state = 'succeeded'`)} and not (${isUndelivered}))`;

/** Two events at nearly the same time may have their numbers in the other order. */
const slack = `interval '10 s'`;

/**
 * A seq before which all events are older than `since`. Numbers and times rise together, so it is found by halves, some forty looks at the
 * index of the order: `created_at` needs none.
 */
export async function seqSince(own: Own, since: string): Promise<string> {
  const [row] = await own.sql<{ seq: string }>(
    `with recursive halves as (
       select coalesce((select seq from events where organization_id = $1 order by seq limit 1), 1) as low,
              coalesce((select seq from events where organization_id = $1 order by seq desc limit 1), 0) + 1 as high
       union all
       select case when m.is_older then m.seq + 1 else h.low end,
              case when m.is_older then h.high else h.middle end
         from (select low, high, (low + high) / 2 as middle from halves where low < high) h,
              lateral (
                select coalesce(max(e.seq), 0) as seq,
                       coalesce(bool_and(e.seq < h.high and e.created_at < $2::timestamptz - ${slack}), false) as is_older
                  from (select seq, created_at
                          from events
                         where organization_id = $1 and seq >= h.middle
                         order by seq
                         limit 1) e) m)
     select max(low)::text as seq
       from halves`,
    [since],
  );
  return row!.seq;
}
