import type { RowOf } from '../platform/database/tables.ts';
import { endDoneOfSubjects, endFailedOfSubjects } from '../platform/ledger/end-subjects.ts';
import { conversationLane } from '../platform/ledger/locks.ts';
import type { PartText } from '../platform/ledger/part.ts';
import { channelPool, poolOf } from '../platform/ledger/pools.ts';
import { stateIs } from '../platform/ledger/states.ts';
import type { OwnTx } from '../platform/ledger/tx.ts';
import { followMessages, newsOf } from './campaign-recipients.ts';
import { answerLockOf, type ProviderId, wakeKept } from './kept-statuses.ts';
import type { Failure, Message, Told } from './message.entity.ts';
import { emitFailed, emitSent, emitStatus, isUnsettled } from './settle.ts';

/** What a status of the provider looks at, and what it changes. */
export type MessageState = RowOf<
  typeof Message,
  'id' | 'channel_id' | 'conversation_id' | 'contact_id' | 'campaign_id' | 'origin' | 'status' | 'provider_message_id' | 'failure'
>;
export type ToldStatus = { status: 'sent' | 'delivered' | 'read' | 'failed'; providerMessageId: string; failure?: Failure };
/** `told`: what the provider's webhook says of it; where `now` is `was`, there is nothing else to write. */
export type StatusChange = { was: MessageState; now: MessageState; told?: Told | undefined };

const ranks: Record<string, number> = { queued: 0, sending: 0, sent: 1, delivered: 2, read: 3 };
const isGivenUp = ({ status, failure }: MessageState) => status === 'failed' && failure?.code === 'outcome_unknown';

/** Ranks only rise, and a delivered message has not failed. Undefined: the status changes nothing. */
export function changeBy(was: MessageState, { status, providerMessageId, failure }: ToldStatus): StatusChange | undefined {
  const rank = ranks[was.status] ?? Number.POSITIVE_INFINITY;
  const isNews = status === 'failed' ? rank < ranks.delivered! : rank < ranks[status]! || isGivenUp(was);
  if (!isNews) return undefined;
  // The provider's id contains the person's address: dropped once the contact is erased.
  const provider_message_id = was.contact_id === null ? null : (was.provider_message_id ?? providerMessageId);
  return { was, now: { ...was, status, provider_message_id, failure: failure ?? null } };
}

/** For what is told of a message whose status stays. */
export const toldOnly = (was: MessageState, told: Told): StatusChange => ({ was, now: was, told });

/** What a change asserts of message `m`, which `told` (t) was made from; in forms that no index fits, which a plan made while the table is empty could take. */
const asItWas = (organization: string, orToo = '') => `
       m.organization_id = ${organization}
       and (m.conversation_id = t.conversation_id) is true
       and (m.status = t.was) is true
       and m.provider_message_id is not distinct from t.provider_was
       and (m.contact_id is null) = t.is_erased
       and (m.status <> 'failed' or m.failure->>'code' = 'outcome_unknown'${orToo})`;

const status = {
  changes: `set status = t.status, provider_message_id = t.provider_message_id, failure = t.failure, updated_at = clock_timestamp()`,
  condition: (organization: string) => asItWas(organization),
};
/** Of a message whose status stays as it is, whatever that is, nothing else changes. What was told before is kept. */
const toldStatus = {
  changes: `set status = t.status,
           provider_message_id = t.provider_message_id,
           failure = case when t.is_only then m.failure else t.failure end,
           updated_at = case when t.is_only then m.updated_at else clock_timestamp() end,
           told = coalesce(t.told, '{}') || coalesce(m.told, '{}')`,
  condition: (organization: string) => asItWas(organization, ' or t.is_only'),
};

/** SQL: as they were looked at, each row found by its id. `told`: the rows (bench: send, inbound). */
const changePart = (organization: string, told: string, ids: string, { changes, condition } = status) => `
  told as (
    select *
      from ${told}),
  changed as (
    update messages m
       ${changes}
      from told t
     where ${ids} and m.id = t.id and ${condition(organization)}
    returning m.id)`;

const columns = 'id, conversation_id, was, provider_was, is_erased, status, provider_message_id, failure';
const types = ['uuid', 'uuid', 'text', 'text', 'boolean', 'text', 'text', 'jsonb', 'jsonb', 'boolean'];
const typed = (places: string[], suffix = '') => places.map((place, index) => `${place}::${types[index]}${suffix}`).join(', ');
const toldSeveral: PartText = (organization, ...lists) =>
  changePart(
    organization,
    `unnest(${typed(lists, '[]')}) as t(${columns}, told, is_only)`,
    `m.id = any(${lists[0]}::uuid[])`,
    toldStatus,
  );
/** Its constants become part of the update: no join is planned. The provider's answer, which tells no more than that. */
const changeOne: PartText = (organization, ...values) =>
  changePart(organization, `(values (${typed(values)})) as t(${columns})`, 'true');
const toldOne: PartText = (organization, ...values) =>
  changePart(organization, `(values (${typed(values)})) as t(${columns}, told, is_only)`, 'true', toldStatus);

const changedOne: PartText = () => 'exists (select 1 from changed)';
const changedAll: PartText = () => '(select count(*) from changed) = (select count(*) from told)';

const givenUpPart: PartText = (organization, ids) => `
  given_up as (
    delete from jobs
     where organization_id = ${organization} and subject_id = any(${ids}::uuid[]) and name = 'messages.send' and ${stateIs('state', 'failed')})`;

const newIdOf = ({ was, now }: StatusChange): ProviderId[] =>
  now.provider_message_id === null || was.provider_message_id !== null
    ? []
    : [{ channelId: now.channel_id, providerMessageId: now.provider_message_id }];

export const locksOfChanges = (changes: StatusChange[]) =>
  changes.flatMap((change) => [conversationLane(change.was.conversation_id), ...newIdOf(change).map(answerLockOf)]);

/**
 * In the order of `changes`, each made from the state after the one before. The first proof of a send ends its job and releases its
 * lane. Needs `locksOfChanges`; writes nothing when a message is no longer as it was looked at (LocksOutdated). `isUnheard`: no endpoint
 * listened to the one first proof when it was looked at.
 */
export function recordChanges(tx: OwnTx, changes: StatusChange[], { isUnheard = false } = {}): void {
  if (changes.length === 0) return;
  const messages = new Map<string, StatusChange>();
  const news = changes.filter(({ was, now }) => now !== was);
  for (const change of news) announce(tx, change, !isUnheard);
  for (const change of changes) {
    const { was, told } = messages.get(change.was.id) ?? change;
    messages.set(was.id, { was, now: change.now, told: { ...change.told, ...told } });
  }
  const all = [...messages.values()];
  const rows = all.map(({ was, now, told }) => [
    ...[was.id, was.conversation_id, was.status, was.provider_message_id, was.contact_id === null],
    ...[now.status, now.provider_message_id, now.failure && JSON.stringify(now.failure)],
    ...[JSON.stringify(told), now === was],
  ]);
  if (rows.length === 1) {
    const isTold = Object.keys(all[0]!.told!).length > 0;
    tx.include({
      text: isTold ? toldOne : changeOne,
      params: [tx.organizationId, ...(isTold ? rows[0]! : rows[0]!.slice(0, -2))],
      assertion: changedOne,
    });
  } else
    tx.include({
      text: toldSeveral,
      params: [tx.organizationId, ...rows[0]!.map((_, column) => rows.map((row) => row[column]))],
      assertion: changedAll,
    });
  endSends(tx, news);
  followMessages(
    tx,
    all.flatMap(({ was, now }) => (now === was ? [] : newsOf(now, now.status as ToldStatus['status'], now.failure))),
  );
  wakeKept(tx, all.flatMap(newIdOf));
}

function announce(tx: OwnTx, { was, now }: StatusChange, isHeard: boolean) {
  if (now.status === 'failed') return emitFailed(tx, now, now.failure!);
  // It was being sent, or had failed with an unknown outcome: this proves that it was sent.
  if (isUnsettled(was.status) || was.status === 'failed') emitSent(tx, now, isHeard);
  if (now.status !== 'sent') emitStatus(tx, now, now.status, isHeard);
}

function endSends(tx: OwnTx, changes: StatusChange[]) {
  const settled = changes.filter(({ was }) => isUnsettled(was.status));
  const [failed, sent] = [
    settled.filter(({ now }) => now.status === 'failed'),
    settled.filter(({ now }) => now.status !== 'failed'),
  ];
  const idsOf = (some: StatusChange[]) => some.map(({ was }) => was.id);
  endDoneOfSubjects(tx, 'messages.send', idsOf(sent));
  endFailedOfSubjects(
    tx,
    'messages.send',
    failed.map(({ was, now }) => ({ subjectId: was.id, error: now.failure! })),
  );
  const proven = changes.filter(({ was }) => was.status === 'failed');
  if (proven.length > 0) tx.include({ text: givenUpPart, params: [tx.organizationId, idsOf(proven)] });
  // A claimed send has given back its room already.
  const unclaimed = settled.filter(({ was }) => was.status === 'queued');
  tx.dispatch({ pools: unclaimed.map(({ was }) => poolOf(tx.organizationId, channelPool(was.channel_id))) });
}
