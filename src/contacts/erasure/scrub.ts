import type { Transact } from '../../platform/ledger/transact.ts';
import type { Remains } from './erase.ts';
import { tracesOf } from './personal-data.ts';

const batch = 200;

/** What events tell of a person, beside ids. */
export const personalFields = ['name', 'from_phone'];

const scrub = `
  with looked as materialized (
    select id, seq from events where organization_id = $1 and subject_id = $2 and seq > $3 order by seq limit $4),
  scrubbed as (
    update events e set data = e.data || (select jsonb_object_agg(f, '') from unnest($5::text[]) f where e.data ? f)
     where e.id = any(array(select id from looked)) and exists (select 1 from unnest($5::text[]) f where coalesce(e.data->>f, '') <> '') returning 1),
  emptied as (
    update webhook_attempts a set response_head = null from webhook_deliveries d
     where d.event_id = any(array(select id from looked)) and a.organization_id = $1 and a.delivery_id = d.id and a.response_head is not null)
  select (select count(*)::int from looked) as looked, (select seq from looked order by seq desc limit 1) as last, (select count(*)::int from scrubbed) as changed`;

/**
 * Events keep their ids and lose the person; what receivers answered goes, for it may repeat what they were told. How many events were
 * changed: with any, a delivery may be under way with the old text, and its answer still to come.
 */
export async function scrubEvents(transact: Transact, organizationId: string, { ids, conversations }: Remains): Promise<number> {
  let changed = 0;
  for (const subject of [...ids, ...conversations]) {
    for (let after = '0', looked = batch; looked === batch; ) {
      const [row] = await transact({}, (tx) =>
        tx.query<{ looked: number; last: string | null; changed: number }>(scrub, [
          organizationId,
          subject,
          after,
          batch,
          personalFields,
        ]),
      );
      ({ looked } = row!);
      after = row!.last ?? after;
      changed += row!.changed;
    }
  }
  return changed;
}

/** A table of what a provider sent: how its rows mention somebody, which must still be applied, and the job a retry of one needs. */
type Received = { table: string; mentions: string; open: string; job: string; params(traces: string[]): unknown };

const bodies: Received = {
  table: 'provider_webhooks',
  mentions: `exists (select 1 from unnest($4::bytea[]) as t(trace) where position(t.trace in w.body) > 0)`,
  open: 'received',
  job: 'provider-webhooks.apply',
  params: (traces) => traces.map((trace) => Buffer.from(trace)),
};

const statuses: Received = {
  table: 'unmatched_statuses',
  mentions: `exists (select 1 from unnest($4::text[]) as t(trace) where strpos(w.provider_message_id || ' ' || w.status::text, t.trace) > 0)`,
  open: 'waiting',
  job: 'provider-webhooks.match-status',
  params: (traces) => traces,
};

/** A failed job goes with what it was to apply: nothing is left to retry. */
const drop = ({ table, mentions, open, job }: Received) => `
  with looked as materialized (select * from ${table} where organization_id = $1 and id > $2::uuid order by id limit $3),
  found as materialized (select w.id, w.state, w.received_at <= $5::timestamptz as is_older from looked w where ${mentions}),
  gone as (delete from ${table} where organization_id = $1 and id = any(array(select id from found)) and state <> '${open}' returning id),
  jobless as (delete from jobs where subject_id = any(array(select id from gone)) and name = '${job}' and state = 'failed')
  select (select count(*)::int from looked) as looked, (select id from looked order by id desc limit 1) as last,
         (select count(*)::int from found where state = '${open}' and is_older) as kept`;

/**
 * What a provider sent and that mentions the person is deleted, but for what has not been applied yet: how much of that, from the time
 * before he was forgotten, is left.
 */
export async function dropReceived(
  transact: Transact,
  organizationId: string,
  { identities }: Remains,
  erasedAt: string,
): Promise<number> {
  const traces = tracesOf(identities);
  if (traces.length === 0) return 0;
  let kept = 0;
  for (const received of [bodies, statuses]) {
    for (let after = '00000000-0000-0000-0000-000000000000', looked = batch; looked === batch; ) {
      const [row] = await transact({}, (tx) =>
        tx.query<{ looked: number; last: string | null; kept: number }>(drop(received), [
          organizationId,
          after,
          batch,
          received.params(traces),
          erasedAt,
        ]),
      );
      ({ looked } = row!);
      after = row!.last ?? after;
      kept += row!.kept;
    }
  }
  return kept;
}
