import type { Own } from '../../platform/database/own.ts';
import type { Transact } from '../../platform/ledger/transact.ts';
import type { Remains } from './erase.ts';
import { personalTexts } from './personal-data.ts';

const batch = 200;

/** SQL: both statements search a batch of another domain's table and delete the matches with their failed jobs. */
const dropBodies = `
  with seen as materialized (
    select id, state, received_at, body
      from provider_webhooks
     where organization_id = $1
       and id > $2::uuid
     order by id
     limit $3),
  found as materialized (
    select id, state, received_at <= $5::timestamptz as is_older
      from seen
     where exists (select 1 from unnest($4::bytea[]) as t(text) where position(t.text in seen.body) > 0)),
  dropped as (
    delete from provider_webhooks
     where organization_id = $1
       and id = any(array(select id from found))
       and state <> 'received'
    returning id),
  jobless as (
    delete from jobs
     where organization_id = $1
       and subject_id = any(array(select id from dropped))
       and name = 'provider-webhooks.apply'
       and state = 'failed')
  select (select count(*)::int from seen) as seen,
         (select id from seen order by id desc limit 1) as last,
         (select count(*)::int from found where state = 'received' and is_older) as kept`;

/** The same of connections, whose services were told what the order said. */
const dropConnectionBodies = `
  with seen as materialized (
    select id, status, received_at, body
      from connection_webhooks
     where organization_id = $1
       and id > $2::uuid
     order by id
     limit $3),
  found as materialized (
    select id, status, received_at <= $5::timestamptz as is_older
      from seen
     where exists (select 1 from unnest($4::bytea[]) as t(text) where position(t.text in seen.body) > 0)),
  dropped as (
    delete from connection_webhooks
     where organization_id = $1
       and id = any(array(select id from found))
       and status <> 'received'
    returning id),
  jobless as (
    delete from jobs
     where organization_id = $1
       and subject_id = any(array(select id from dropped))
       and name = 'connections.apply-webhook'
       and state = 'failed')
  select (select count(*)::int from seen) as seen,
         (select id from seen order by id desc limit 1) as last,
         (select count(*)::int from found where status = 'received' and is_older) as kept`;

const dropStatuses = `
  with seen as materialized (
    select id, state, received_at, provider_message_id || ' ' || status::text as content
      from unmatched_statuses
     where organization_id = $1
       and id > $2::uuid
     order by id
     limit $3),
  found as materialized (
    select id, state, received_at <= $5::timestamptz as is_older
      from seen
     where exists (select 1 from unnest($4::text[]) as t(text) where strpos(seen.content, t.text) > 0)),
  dropped as (
    delete from unmatched_statuses
     where organization_id = $1
       and id = any(array(select id from found))
       and state <> 'waiting'
    returning id),
  jobless as (
    delete from jobs
     where organization_id = $1
       and subject_id = any(array(select id from dropped))
       and name = 'provider-webhooks.match-status'
       and state = 'failed')
  select (select count(*)::int from seen) as seen,
         (select id from seen order by id desc limit 1) as last,
         (select count(*)::int from found where state = 'waiting' and is_older) as kept`;
type Dropped = { seen: number; last: string | null; kept: number };

/** Keeps webhooks that are not applied yet. Returns how many of those are older than the erasure. */
export async function dropReceived(
  transact: Transact,
  own: Own,
  { identities, buyers = [] }: Remains,
  erasedAt: string,
): Promise<number> {
  const texts = personalTexts(identities);
  const bytesOf = (wanted: string[]) => wanted.map((text) => Buffer.from(text));
  let kept = 0;
  for (const { text, wanted } of [
    { text: dropBodies, wanted: bytesOf(texts) },
    { text: dropConnectionBodies, wanted: bytesOf(personalTexts([...identities, ...buyers])) },
    { text: dropStatuses, wanted: texts },
  ]) {
    if (wanted.length === 0) continue;
    for (let after = '00000000-0000-0000-0000-000000000000', isMore = true; isMore; ) {
      const params = [after, batch, wanted, erasedAt];
      const [row] = await transact({}, (tx) => tx.of(own.organizationId).sql<Dropped>(text, params));
      isMore = row!.seen === batch;
      after = row!.last ?? after;
      kept += row!.kept;
    }
  }
  return kept;
}
