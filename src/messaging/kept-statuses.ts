import { dispatchedColumns, firstCheck } from '../platform/ledger/accept.ts';
import { answerLock } from '../platform/ledger/locks.ts';
import type { PartText } from '../platform/ledger/part.ts';
import { stateIs } from '../platform/ledger/states.ts';
import type { OwnTx } from '../platform/ledger/tx.ts';

/**
 * A status can arrive before its message has the provider's id. It is kept, and its job applies or drops it after 10 minutes; whoever
 * stores the id wakes that job. Both hold `answerLock` of the id, from before they look until they have committed. Keeper first: the
 * other finds the kept row. Keeper second: its statement finds the message, writes nothing and is repeated. So none is missed.
 */
export type ProviderId = { channelId: string; providerMessageId: string };

export const answerLockOf = ({ channelId, providerMessageId }: ProviderId) => answerLock(channelId, providerMessageId);

/** No partial index fits the state (as stateIs): the plan may be made while the table is empty. */
const isWaiting = (state: string) => `(${state} = 'waiting') is true`;

/** For the statement that stores an id: whether statuses of it are kept. Parameters and columns as SQL. */
export const hasKept = ({ channel, providerMessageId }: { channel: string; providerMessageId: string }) => `
  exists (
    select 1
      from unmatched_statuses u
     where u.organization_id = $1
       and u.channel_id = ${channel}
       and u.provider_message_id = ${providerMessageId}
       and ${isWaiting('u.state')})`;

/** SQL: a new run, due at once; its delayed run in the queue is over. A part of the ledger's statement (bench: send, inbound). */
const wakePart = (organization: string, kept: string) => `
  woken as (
    update jobs
       set run = run + 1,
           stalls = 0,
           run_at = clock_timestamp(),
           check_at = clock_timestamp() + ${firstCheck}
     where organization_id = ${organization}
       and subject_id = any(array(${kept}))
       and name = 'provider-webhooks.match-status'
       and ${stateIs('state', 'queued')}
    returning ${dispatchedColumns})`;

const keptOf = (organization: string, channel: string, providerMessageId: string) => `
             select s.id
               from unmatched_statuses s
              where s.organization_id = ${organization}
                and s.channel_id = ${channel}
                and s.provider_message_id = ${providerMessageId}
                and ${isWaiting('s.state')}`;
const wakeOne: PartText = (organization, channel, providerMessageId) =>
  wakePart(organization, keptOf(organization, `${channel}::uuid`, `${providerMessageId}::text`));
const wakeSeveral: PartText = (organization, channels, providerIds) =>
  wakePart(
    organization,
    `
             select u.id
               from unnest(${channels}::uuid[], ${providerIds}::text[]) as k(channel_id, provider_message_id),
                    lateral (${keptOf(organization, 'k.channel_id', 'k.provider_message_id')}
                      offset 0) u`,
  );

/** The caller holds the ids' locks. */
export function wakeKept(tx: OwnTx, ids: ProviderId[]) {
  if (ids.length === 0) return;
  for (const id of ids) tx.assertLocked(answerLockOf(id));
  const [channels, providerIds] = [ids.map(({ channelId }) => channelId), ids.map((id) => id.providerMessageId)];
  const [text, given] = ids.length === 1 ? [wakeOne, [channels[0], providerIds[0]]] : [wakeSeveral, [channels, providerIds]];
  tx.include({ text, params: [tx.organizationId, ...given], dispatched: 'woken' });
}
