import { contactLock } from '../contacts/events.ts';
import { hearMarketingChoice } from '../contacts/permission/opt-out.ts';
import type { Told } from '../messaging/message.entity.ts';
import {
  changeBy,
  locksOfChanges,
  type MessageState,
  recordChanges,
  type StatusChange,
  toldOnly,
} from '../messaging/told-statuses.ts';
import type { Own } from '../platform/database/own.ts';
import { isUuid } from '../platform/ids.ts';
import { LocksOutdated } from '../platform/ledger/locks.ts';
import type { Look } from '../platform/ledger/transact.ts';
import type { TenantTx } from '../platform/ledger/tx.ts';
import { saysNoToMarketing } from '../providers/messaging-app/error-codes.ts';
import type { InboundStatus } from '../providers/messaging-app/inbound.ts';
import { keepStatuses, keptLocks, type Unmatched } from './keep-status.ts';

/** Of one write: it takes up to three locks for each. */
export const maxTogether = 50;

/** `onlyChannelId`: the channel whose own app signed the body. `channelId`: known, whatever number it has now. */
export type Where = { onlyChannelId: string | null } | { channelId: string };

export type StatusesSeen = {
  changes: StatusChange[];
  unmatched: Unmatched[];
  refusers: { contactId: string; at: Date; messageId: string }[];
};

/** `is_told`: its timeline has this status. */
type Found = { channel_id: string | null; is_told: boolean | null } & (
  | MessageState
  | { [Key in keyof Omit<MessageState, 'channel_id'>]: null }
);

/** Not one look-up with `or`: no index fits both, and a plan made while the table is empty would read the organization's rows. */
const messageBy = (condition: string, rank: number) => `
  (select o.id, o.conversation_id, o.contact_id, o.campaign_id, o.origin, o.status, o.provider_message_id, o.failure,
          coalesce(o.told ? k.status, false) as is_told, ${rank} as rank
     from messages o
    where ${condition} and o.organization_id = $1 and o.direction = 'outbound'
      and k.provider_message_id <> all(o.superseded_ids)
    limit 1)`;

/** SQL: all statuses in one look, each message by the provider's id, else by ours (bench: inbound). */
const lookStatement = `
  select k.channel_id, m.id, m.conversation_id, m.contact_id, m.campaign_id, m.origin, m.status, m.provider_message_id, m.failure, m.is_told
    from (select t.ord, t.provider_message_id, t.ours, t.status,
                 coalesce($2::uuid, (
                   select c.id
                     from channels c
                    where c.organization_id = $1 and c.phone_number_id = t.number and c.deleted_at is null
                      and ($3::uuid is null or c.id = $3)
                    limit 1)) as channel_id
            from unnest($4::text[], $5::text[], $6::uuid[], $7::text[]) with ordinality as t(number, provider_message_id, ours, status, ord)
          offset 0) k
    left join lateral (
           select *
             from (${messageBy('o.channel_id = k.channel_id and o.provider_message_id = k.provider_message_id', 1)}
                   union all
                   ${messageBy('o.id = k.ours and (o.channel_id = k.channel_id) is true', 2)}) f
            order by f.rank
            limit 1) m on true
   order by k.ord`;

export const writeOfSeen: Pick<Look<StatusesSeen>, 'locks' | 'isOneTrip'> = {
  locks: ({ changes, unmatched, refusers }) => [
    ...locksOfChanges(changes),
    ...keptLocks(unmatched),
    ...refusers.map(({ contactId }) => contactLock(contactId)),
  ],
  // To hear a refusal takes several statements.
  isOneTrip: ({ refusers }) => refusers.length === 0,
};

/**
 * The statuses of one body, in its order, in one look and one write. The rules decide by what was looked at; the write takes place
 * only if that still holds under the locks, and is repeated otherwise.
 */
export function lookAtStatuses(own: Own, statuses: InboundStatus[], where: Where): Look<StatusesSeen> {
  const [channelId, onlyChannelId] = 'channelId' in where ? [where.channelId, null] : [null, where.onlyChannelId];
  const ours = statuses.map(({ callbackData }) => (callbackData && isUuid(callbackData) ? callbackData : null));
  return {
    async look() {
      const found = await own.sql<Found>(lookStatement, [
        channelId,
        onlyChannelId,
        statuses.map(({ phoneNumberId }) => phoneNumberId),
        statuses.map(({ providerMessageId }) => providerMessageId),
        ours,
        statuses.map(({ status }) => status),
      ]);
      // A repeated look still finds the message of a contact that was erased meanwhile: it has lost the provider's id.
      for (const [index, { id }] of found.entries()) if (id) ours[index] = id;
      return seenOf(statuses, found);
    },
    ...writeOfSeen,
  };
}

function seenOf(statuses: InboundStatus[], found: Found[]): StatusesSeen {
  const seen: StatusesSeen = { changes: [], unmatched: [], refusers: [] };
  const messages = new Map<string, MessageState>();
  const learned = new Map<string, string>();
  const heard = new Set<string>();
  for (const [index, row] of found.entries()) {
    if (row.id === null || messages.has(row.id)) continue;
    const message = row as MessageState;
    messages.set(message.id, message);
    // Only ours was known of it: another status of this body may name it by the provider's id alone.
    if (message.provider_message_id === null && message.contact_id !== null)
      learned.set(`${message.channel_id} ${statuses[index]!.providerMessageId}`, message.id);
  }
  for (const [index, status] of statuses.entries()) {
    const { channel_id: channelId, id } = found[index]!;
    // The number was disconnected.
    if (channelId === null) continue;
    const was = messages.get(id ?? learned.get(`${channelId} ${status.providerMessageId}`) ?? '');
    if (!was) {
      seen.unmatched.push({ channelId, status });
      continue;
    }
    const { error, providerMessageId } = status;
    const failure = error && { code: 'provider_refused', provider_code: error.code, message: error.message };
    const news = `${was.id} ${status.status}`;
    const told = found[index]!.is_told || heard.has(news) ? undefined : toldBy(status);
    heard.add(news);
    const change = changeBy(was, { status: status.status, providerMessageId, failure }) ?? (told && toldOnly(was, told));
    if (change) {
      seen.changes.push({ ...change, told });
      messages.set(was.id, change.now);
    }
    if (was.contact_id && saysNoToMarketing(error?.code))
      seen.refusers.push({ contactId: was.contact_id, at: new Date(status.at), messageId: was.id });
  }
  return seen;
}

/** A kept status has its time as text. */
const toldBy = ({ status, at, pricing }: InboundStatus): Told => ({
  [status]: { at: new Date(at).toISOString(), ...(pricing && { pricing }) },
});

export async function applySeen({ own }: TenantTx, { changes, unmatched, refusers }: StatusesSeen): Promise<void> {
  for (const { contactId, at, messageId } of refusers) {
    const choice = { status: 'denied', at, proof: messageId } as const;
    if (!(await hearMarketingChoice(own, contactId, choice))) throw new LocksOutdated();
  }
  recordChanges(own, changes);
  keepStatuses(own, unmatched);
}
