import type { Own } from '../platform/database/own.ts';
import { firstIdAt } from '../platform/ids.ts';
import type { Ask } from '../platform/listing/paging.ts';
import type { Reads } from '../platform/listing/reads.ts';
import { now } from '../platform/time/clock.ts';
import { getEndpoint } from './endpoints.ts';

const hourMs = 3600 * 1000;

/** A span of buckets, the current one the last. Each bucket is read in slices, so that a sample of it is from all of its time. */
type Span = { bucketMs: number; buckets: number; slices: number; perSlice: number };
export const spans = {
  hours: { bucketMs: hourMs, buckets: 24, slices: 12, perSlice: 100 },
  days: { bucketMs: 24 * hourMs, buckets: 30, slices: 24, perSlice: 50 },
} satisfies Record<string, Span>;

export type Bucket = {
  from: string;
  /** Of the sample, where a slice has more than are read of it. */
  attempts: number;
  succeeded: number;
  success_rate: number | null;
  p50_ms: number | null;
  p99_ms: number | null;
  is_sample: boolean;
};

/** Deliveries of one state are counted up to this. */
export const maxCounted = 10_000;
/** Latest attempts and deliveries looked at for the last success. */
const maxRecent = 1_000;

export type Standing = {
  pending: number;
  failed: number;
  cancelled: number;
  is_enabled: boolean;
  oldest_overdue_at: string | null;
  next_attempt_at: string | null;
  last_attempt_at: string | null;
  last_success_at: string | null;
};
export type Stats = Standing & Record<keyof typeof spans, Bucket[]>;

/** In a place of the organization's expensive reads. Throws 404. */
export async function endpointStats(reads: Reads, own: Own, endpointId: string): Promise<Stats> {
  await getEndpoint(own, endpointId);
  const { organizationId } = own;
  return reads.dear(organizationId, async (ask) => {
    const [standing] = await ask<Standing>(standingStatement, [organizationId, endpointId, maxCounted, maxRecent]);
    const bucketsOf = (span: Span) => readBuckets(ask, organizationId, endpointId, span);
    return { ...standing!, hours: await bucketsOf(spans.hours), days: await bucketsOf(spans.days) };
  });
}

/**
 * SQL (all of this file): figures over bounded parts of index ranges. The pending deliveries that are looked at are the oldest ones. The last
 * success is among the latest attempts, else the latest deliveries that succeeded say when.
 */
const standingStatement = `
  with pending as (
    select next_attempt_at
      from webhook_deliveries
     where organization_id = $1 and endpoint_id = $2 and state = 'pending'
     order by id
     limit $3),
  recent as (
    select status, created_at
      from webhook_attempts
     where organization_id = $1 and endpoint_id = $2
     order by id desc
     limit $4),
  succeeded as (
    select finished_at
      from webhook_deliveries
     where organization_id = $1 and endpoint_id = $2 and state = 'succeeded'
     order by id desc
     limit $4)
  select (select count(*)::int from pending) as pending,
         ${countOf('failed')} as failed,
         ${countOf('cancelled')} as cancelled,
         w.enabled as is_enabled,
         (select min(next_attempt_at) from pending where next_attempt_at <= clock_timestamp()) as oldest_overdue_at,
         (select min(next_attempt_at) from pending where next_attempt_at > clock_timestamp()) as next_attempt_at,
         (select max(created_at) from recent) as last_attempt_at,
         greatest((select max(created_at) from recent where status between 200 and 299),
                  (select max(finished_at) from succeeded)) as last_success_at
    from webhook_endpoints w
   where w.organization_id = $1 and w.id = $2`;

function countOf(state: string) {
  return `
         (select count(*)::int
            from (select 1
                    from webhook_deliveries
                   where organization_id = $1 and endpoint_id = $2 and state = '${state}'
                   limit $3) d)`;
}

/** An attempt's id is a UUIDv7: a time is a range of ids. */
const bucketsStatement = `
  select s.bucket,
         count(*)::int as attempts,
         count(*) filter (where a.status between 200 and 299)::int as succeeded,
         percentile_disc(0.5) within group (order by a.duration_ms) as p50_ms,
         percentile_disc(0.99) within group (order by a.duration_ms) as p99_ms,
         bool_or(a.place = $6) as is_sample
    from unnest($3::uuid[], $4::uuid[], $5::int[]) s(first_id, end_id, bucket),
         lateral (
           select status, duration_ms, row_number() over (order by id) as place
             from webhook_attempts
            where organization_id = $1 and endpoint_id = $2 and id >= s.first_id and id < s.end_id
            order by id
            limit $6) a
   group by s.bucket`;

type Counted = Omit<Bucket, 'from' | 'success_rate'> & { bucket: number };

async function readBuckets(ask: Ask, organizationId: string, endpointId: string, span: Span): Promise<Bucket[]> {
  const { bucketMs, buckets, slices, perSlice } = span;
  const begin = (Math.floor(now() / bucketMs) - buckets + 1) * bucketMs;
  const sliceMs = bucketMs / slices;
  const edges = Array.from({ length: buckets * slices + 1 }, (_, index) => firstIdAt(begin + index * sliceMs));
  const places = Array.from({ length: buckets * slices }, (_, index) => Math.floor(index / slices));
  const rows = await ask<Counted>(bucketsStatement, [
    organizationId,
    endpointId,
    edges.slice(0, -1),
    edges.slice(1),
    places,
    perSlice,
  ]);
  const found = new Map(rows.map((row) => [row.bucket, row]));
  return Array.from({ length: buckets }, (_, index) => {
    const from = new Date(begin + index * bucketMs).toISOString();
    const row = found.get(index);
    if (!row) return { from, attempts: 0, succeeded: 0, success_rate: null, p50_ms: null, p99_ms: null, is_sample: false };
    const { attempts, succeeded, p50_ms, p99_ms, is_sample } = row;
    return { from, attempts, succeeded, success_rate: succeeded / attempts, p50_ms, p99_ms, is_sample };
  });
}
