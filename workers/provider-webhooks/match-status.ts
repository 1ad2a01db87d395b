import { answerLockOf, type ProviderId } from '../../src/messaging/kept-statuses.ts';
import type { Own } from '../../src/platform/database/own.ts';
import type { RowOf } from '../../src/platform/database/tables.ts';
import type { PartText } from '../../src/platform/ledger/part.ts';
import { stateIs } from '../../src/platform/ledger/states.ts';
import type { Look } from '../../src/platform/ledger/transact.ts';
import { applySeen, lookAtStatuses, type StatusesSeen, writeOfSeen } from '../../src/provider-webhooks/apply-status.ts';
import { matchStatusJob } from '../../src/provider-webhooks/jobs.ts';
import { keptForMs } from '../../src/provider-webhooks/keep-status.ts';
import type { UnmatchedStatus } from '../../src/provider-webhooks/provider-webhook.entity.ts';
import { handle } from '../handler.ts';

/** `left_ms`: how long the job's own status is still kept. */
type Kept = RowOf<typeof UnmatchedStatus, 'id' | 'channel_id' | 'provider_message_id' | 'status'> & { left_ms: number };

/** All that is kept of the same message, the job's own among it, oldest first. Nothing when its own is not kept any more. */
async function keptWith(own: Own, id: string): Promise<Kept[]> {
  // SQL: joins the table with itself, by the database's clock.
  const kept = await own.sql<Kept>(
    `select o.id, o.channel_id, o.provider_message_id, o.status,
            greatest(0, $3 - extract(epoch from clock_timestamp() - k.received_at) * 1000)::float8 as left_ms
       from unmatched_statuses k
       join unmatched_statuses o
         on o.organization_id = k.organization_id and o.channel_id = k.channel_id
            and o.provider_message_id = k.provider_message_id and o.state = k.state
      where k.organization_id = $1 and k.id = $2 and k.state = 'waiting'
      order by o.id = k.id desc, o.id
      limit 200`,
    [id, keptForMs],
  );
  return kept.sort((one, other) => (one.id < other.id ? -1 : 1));
}

type Seen = StatusesSeen & { kept: Kept[]; matchedIds: string[] };

async function lookAtKept(own: Own, id: string): Promise<Seen> {
  const kept = await keptWith(own, id);
  if (kept.length === 0) return { changes: [], unmatched: [], refusers: [], kept, matchedIds: [] };
  const statuses = kept.map(({ status }) => status);
  const seen = await lookAtStatuses(own, statuses, { channelId: kept[0]!.channel_id }).look(1);
  const others = new Set(seen.unmatched.map(({ status }) => status));
  const matchedIds = kept.filter(({ status }) => !others.has(status)).map((one) => one.id);
  return { ...seen, kept, matchedIds };
}

/** SQL: a part of the ledger's statement; what is matched here needs no jobs of its own. */
const endPart: PartText = (organization, matchedIds, id) => `
  ended_statuses as (
    update unmatched_statuses
       set state = case when id = any(${matchedIds}::uuid[]) then 'matched' else 'dropped' end
     where organization_id = ${organization} and (id = any(${matchedIds}::uuid[]) or id = ${id}::uuid)
       and (state = 'waiting') is true),
  jobs_of_others as (
    delete from jobs
     where organization_id = ${organization} and subject_id = any(${matchedIds}::uuid[]) and subject_id <> ${id}::uuid
       and name = 'provider-webhooks.match-status' and ${stateIs('state', 'queued')})`;

/** Runs when its message's id becomes known, at the latest after 10 minutes: then a status of an unknown message is dropped. */
export const matchKeptStatus = handle(matchStatusJob, async ({ status_id: id }, context) => {
  const { own } = context;
  let first: Seen | undefined = await lookAtKept(own, id);
  const { kept, matchedIds } = first;
  if (kept.length === 0) return context.finish();
  const left = kept[0]!.left_ms;
  if (!matchedIds.includes(id) && left > 0) return context.wait(left, { reason: 'no message has this id yet' });
  const answer: ProviderId = { channelId: kept[0]!.channel_id, providerMessageId: kept[0]!.provider_message_id };
  const looked: Look<Seen> = {
    ...writeOfSeen,
    async look() {
      const seen = first ?? (await lookAtKept(own, id));
      first = undefined;
      return seen;
    },
    // The other statuses' jobs may be at work on the same rows.
    locks: (seen) => [...writeOfSeen.locks(seen), answerLockOf(answer)],
  };
  return context.finishLooked(looked, async (tx, seen) => {
    await applySeen(tx, { ...seen, unmatched: [] });
    tx.include({ text: endPart, params: [own.organizationId, seen.matchedIds, id] });
  });
});
