import type { PartText } from '../platform/ledger/part.ts';
import type { OwnTx } from '../platform/ledger/tx.ts';
import { bindTo } from '../platform/listing/bind.ts';
import type { Failure } from './message.entity.ts';

/* SQL: tables of campaigns, which stand above messaging. A message without a campaign comes to none of this. */

/** What a message of a campaign has become. `failure` only where it failed. */
export type RecipientNews = {
  messageId: string;
  campaignId: string;
  status: 'sent' | 'delivered' | 'read' | 'failed';
  failure: Failure | null;
};
type OfMessage = { id: string; campaign_id: string | null };

export const newsOf = (
  { id: messageId, campaign_id: campaignId }: OfMessage,
  status: RecipientNews['status'],
  failure: Failure | null = null,
): RecipientNews[] => (campaignId === null ? [] : [{ messageId, campaignId, status, failure }]);

/** Our refusals: the person was not written to. By the message's code, the recipient's reason. */
const skips = new Map([
  ...['suppressed', 'consent_required', 'contact_deleted', 'no_address', 'duplicate'].map((code) => [code, code] as const),
  ['campaign_cancelled', 'cancelled'],
]);
/** By the provider's code, what it says of the whole campaign: the template is paused or disabled, the number sends what people mark as spam. */
const alarms = new Map([
  ['132015', 'template_paused'],
  ['132016', 'template_paused'],
  ['131048', 'spam_limit'],
]);
/** The provider has given the person enough marketing for now: it asks to wait a day. */
export const cappedCodes = ['131049', '130472'];

export const alarmOf = (providerCode: string | null | undefined) => alarms.get(providerCode ?? '');

/** `failed → sent`: a late proof of a message that was given up. */
const ranks = `'{queued,failed,sent,delivered,read}'::text[]`;
const rises = `array_position(${ranks}, r.status) < array_position(${ranks}, t.status)`;

/** A failure that was disproved leaves nothing. Who has read it was delivered, and who got it was sent. */
const raised = `
       status = t.status,
       failure_code = '',
       failed_at = null,
       sent_at = coalesce(r.sent_at, clock_timestamp()),
       delivered_at = case when t.status in ('delivered', 'read') then coalesce(r.delivered_at, clock_timestamp()) end,
       read_at = case when t.status = 'read' then clock_timestamp() end,
       result_at = coalesce(r.result_at, clock_timestamp())`;

const risePart: PartText = (organization, ids, statuses) => `
  followed as (
    update campaign_recipients r
       set ${raised}
      from unnest(${ids}::uuid[], ${statuses}::text[]) t(message_id, status)
     where r.organization_id = ${organization}
       and r.message_id = any(${ids}::uuid[])
       and r.message_id = t.message_id
       and ${rises})`;

/** Our codes of messages that were let go so that another one is made later. */
const taken = `'{out_of_hours,campaign_paused}'::text[]`;

/**
 * Taken back where the campaign is at fault or paused, its hours are over or the person may be asked again, as long as somebody will write to them again. Not after a send
 * whose outcome nobody knows: they may have got it. The campaign's row is held where that is in question: one that completes meanwhile waits for it, or is
 * seen as completed. `alarmed` reads it too: a row that a statement has changed it cannot lock any more.
 */
const becomes = `
  case when t.reason <> '' and r.status = 'queued' then 'skipped'
       when c.status in ('running', 'paused')
        and t.code <> 'outcome_unknown'
        and (t.alarm = 'template_paused' or t.code = any(${taken}) or t.is_capped and (c.guards->'retry_capped') = 'true' and r.attempts < 2) then 'pending'
       else 'failed' end`;

const failPart: PartText = (organization, ids, statuses, campaigns, reasons, codes, alarmed, capped) => `
  news as materialized (
    select *
      from unnest(${ids}::uuid[], ${statuses}::text[], ${campaigns}::uuid[], ${reasons}::text[], ${codes}::text[], ${alarmed}::text[],
                  ${capped}::boolean[]) t(message_id, status, campaign_id, reason, code, alarm, is_capped)),
  risen as (
    update campaign_recipients r
       set ${raised}
      from news t
     where r.organization_id = ${organization}
       and r.message_id = any(${ids}::uuid[])
       and r.message_id = t.message_id
       and t.status <> 'failed'
       and ${rises}),
  held as materialized (
    select c.id, c.status, c.guards
      from campaigns c
     where c.organization_id = ${organization}
       and c.id = any(array(
             select campaign_id
               from news
              where alarm <> '' or is_capped or code = any(${taken})))
     order by c.id
       for no key update),
  followed as (
    update campaign_recipients r
       set status = ${becomes},
           reason = case ${becomes} when 'skipped' then t.reason else '' end,
           failure_code = case ${becomes} when 'failed' then t.code else '' end,
           failed_at = case ${becomes} when 'failed' then coalesce(r.failed_at, clock_timestamp()) end,
           result_at = case ${becomes} when 'failed' then coalesce(r.result_at, clock_timestamp()) end,
           sent_at = case ${becomes} when 'failed' then r.sent_at end,
           queued_at = case ${becomes} when 'failed' then r.queued_at end,
           message_id = case ${becomes} when 'pending' then null else r.message_id end,
           due_at = case when ${becomes} = 'pending' and t.is_capped then clock_timestamp() + interval '24 hours' else r.due_at end,
           attempts = case when ${becomes} = 'pending' and not t.is_capped then greatest(r.attempts - 1, 0) else r.attempts end
      from news t
      left join held c on c.id = t.campaign_id
     where r.organization_id = ${organization}
       and r.message_id = any(${ids}::uuid[])
       and r.message_id = t.message_id
       and t.status = 'failed'
       and r.status in ('queued', 'sent')),
  alarmed as (
    update campaigns c
       set alarm = t.alarm
      from held h
      join (select distinct on (campaign_id) campaign_id, alarm
              from news
             where alarm <> ''
             order by campaign_id, alarm) t on t.campaign_id = h.id
     where c.organization_id = ${organization}
       and c.id = h.id
       and c.status = 'running'
       and c.alarm is null)`;

function partOf(tx: OwnTx, news: RecipientNews[]) {
  const ids = news.map(({ messageId }) => messageId);
  const statuses = news.map(({ status }) => status);
  if (!statuses.includes('failed')) return { text: risePart, params: [tx.organizationId, ids, statuses] };
  const failures = news.map(({ failure }) => ({ code: failure?.code ?? '', providerCode: failure?.provider_code ?? '' }));
  const rest = [
    news.map(({ campaignId }) => campaignId),
    failures.map(({ code }) => skips.get(code) ?? ''),
    // Whoever retries must know it, whatever the provider said of the last send.
    failures.map(({ code, providerCode }) => (code === 'outcome_unknown' ? code : providerCode || code)),
    failures.map(({ providerCode }) => alarmOf(providerCode) ?? ''),
    failures.map(({ providerCode }) => cappedCodes.includes(providerCode)),
  ];
  return { text: failPart, params: [tx.organizationId, ids, statuses, ...rest] };
}

/** The recipients follow their messages with the transaction's own statement. Each message once; needs the conversations' locks. */
export function followMessages(tx: OwnTx, news: RecipientNews[]): void {
  if (news.length > 0) tx.include(partOf(tx, news));
}

/** The same at once, for a transaction that settles several times. */
export async function followMessagesNow(tx: OwnTx, news: RecipientNews[]): Promise<void> {
  if (news.length === 0) return;
  const { text, params } = partOf(tx, news);
  const places = params.map(bindTo([]));
  await tx.sql(`with ${text(...places)} select 1`, params.slice(1));
}

/** The provider refused for now, and says why: the message waits, the campaign stops. */
export async function raiseAlarm(tx: OwnTx, { id, alarm }: { id: string; alarm: string }): Promise<void> {
  await tx.sql(
    `update campaigns
        set alarm = $3
      where organization_id = $1
        and id = $2
        and status = 'running'
        and alarm is null`,
    [id, alarm],
  );
}
