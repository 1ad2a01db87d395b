import { answerLockOf } from '../messaging/kept-statuses.ts';
import { uuidv7 } from '../platform/ids.ts';
import type { PartText } from '../platform/ledger/part.ts';
import type { OwnTx } from '../platform/ledger/tx.ts';
import type { InboundStatus } from '../providers/messaging-app/inbound.ts';
import { matchStatusJob } from './jobs.ts';

export type Unmatched = { channelId: string; status: InboundStatus };

export const keptForMs = 600_000;

export const keptLocks = (unmatched: Unmatched[]) =>
  unmatched.map(({ channelId, status: { providerMessageId } }) => answerLockOf({ channelId, providerMessageId }));

/** SQL: `answered` has a row when a message got the id after the look; then nothing is kept (messaging/kept-statuses.ts). */
const keepPart: PartText = (organization, ids, channelIds, providerIds, statuses) => `
  unmatched as (
    select *
      from unnest(${ids}::uuid[], ${channelIds}::uuid[], ${providerIds}::text[], ${statuses}::jsonb[])
        as u(id, channel_id, provider_message_id, status)),
  answered as (
    select 1
      from unmatched u,
           lateral (
             select 1
               from messages m
              where m.organization_id = ${organization} and m.channel_id = u.channel_id
                and m.provider_message_id = u.provider_message_id
                and m.direction = 'outbound'
                and u.provider_message_id <> all(m.superseded_ids)
              limit 1) m),
  kept_statuses as (
    insert into unmatched_statuses (id, organization_id, channel_id, provider_message_id, status, state)
    select u.id, ${organization}, u.channel_id, u.provider_message_id, u.status, 'waiting'
      from unmatched u)`;

const unanswered: PartText = () => 'not exists (select 1 from answered)';

/** Needs `keptLocks`. The answer to the send may still be on its way: it wakes the job, which else drops the status. */
export function keepStatuses(tx: OwnTx, unmatched: Unmatched[]): void {
  if (unmatched.length === 0) return;
  const ids = unmatched.map(() => uuidv7());
  tx.include({
    text: keepPart,
    params: [
      tx.organizationId,
      ids,
      unmatched.map(({ channelId }) => channelId),
      unmatched.map(({ status }) => status.providerMessageId),
      unmatched.map(({ status }) => JSON.stringify(status)),
    ],
    assertion: unanswered,
  });
  for (const status_id of ids) tx.enqueue(matchStatusJob, { status_id }, { delayMs: keptForMs });
}
