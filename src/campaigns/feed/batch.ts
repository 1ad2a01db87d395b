import { isContactMissing } from '../../contacts/contact-missing.ts';
import { contactLock } from '../../contacts/events.ts';
import { acceptMany } from '../../messaging/accept-many.ts';
import { cappedSql } from '../../messaging/campaign-sends.ts';
import { conversationTaken } from '../../messaging/conversations.ts';
import type { FrequencyCap } from '../../organizations/organization.entity.ts';
import { violatedConstraint } from '../../platform/database/errors.ts';
import type { Own } from '../../platform/database/own.ts';
import { conversationLane } from '../../platform/ledger/locks.ts';
import type { Part, PartText } from '../../platform/ledger/part.ts';
import type { TenantTransact } from '../../platform/ledger/tenant.ts';
import type { RunRef } from '../../platform/ledger/tx.ts';
import { campaignLane } from '../jobs.ts';
import { type Asked, lookForDue } from './look.ts';
import { type Plan, type PlanDeps, planOf } from './plan.ts';
import type { Room } from './rooms.ts';
import { newTurn } from './turns.ts';

/**
 * SQL: a part of the ledger's statement (bench: feed). The status in a form that no partial index fits: each row is found by its id.
 */
const fedPart: PartText = (organization, campaignId, ids, contactIds, messageIds, reasons) => `
  fed as (
    update campaign_recipients r
       set status = case when x.message_id is null then 'skipped' else 'queued' end,
           reason = x.reason,
           message_id = coalesce(x.message_id, r.message_id),
           queued_at = case when x.message_id is null then r.queued_at else clock_timestamp() end,
           attempts = r.attempts + case when x.message_id is null then 0 else 1 end
      from unnest(${ids}::uuid[], ${contactIds}::uuid[], ${messageIds}::uuid[], ${reasons}::text[])
             as x(id, contact_id, message_id, reason)
     where r.organization_id = ${organization}
       and r.campaign_id = ${campaignId}
       and r.id = any(${ids}::uuid[])
       and r.id = x.id
       and (r.status = 'pending') is true
       and r.contact_id is not distinct from x.contact_id
    returning r.id)`;

const stillRuns: PartText = (organization, campaignId, ids, _contactIds, _messageIds, _reasons, jobId, run) => `
  (select count(*) from fed) = cardinality(${ids}::uuid[])
  and exists (
    select 1
      from campaigns c
     where c.organization_id = ${organization} and c.id = ${campaignId} and c.status = 'running')
  and exists (
    select 1
      from jobs j
     where j.organization_id = ${organization} and j.id = ${jobId} and j.run = ${run} and j.state = 'queued')`;

/** Under the contacts' locks: two campaigns cannot both be the last one that is allowed. */
const stillUncapped: PartText = (...places) => {
  const [organization, , , contactIds, messageIds, , , , max, days] = places;
  return `
  ${stillRuns(...places)}
  and not exists (
    select 1
      from unnest(${contactIds}::uuid[], ${messageIds}::uuid[]) as x(contact_id, message_id)
     where x.message_id is not null
       and ${cappedSql('x.contact_id', [organization!, max!, days!])})`;
};

/** SQL: the pace of the campaign itself; its row changes for no other one. */
const pacedPart: PartText = (organization, campaignId, count, perMinute) => `
  paced as (
    update campaigns
       set paced_until = greatest(
             paced_until,
             clock_timestamp() - greatest(interval '0', interval '1 s' - interval '1 min' / ${perMinute}::float8))
             + ${count}::int * interval '1 min' / ${perMinute}::float8
     where organization_id = ${organization}
       and id = ${campaignId})`;

export type BatchDeps = PlanDeps & {
  own: Own;
  transact: TenantTransact;
  job: RunRef;
  zones: string[];
  cap: FrequencyCap | null;
};
/** What becomes of those who are due on these channels. */
export type Looked = { plan: Plan; channels: Room[]; isRunning: boolean; isHeard: boolean };

export const askFor = (deps: BatchDeps, limits: Asked['limits']): Asked => ({
  ...{ campaignId: deps.campaign.id, limits, zones: deps.zones, cap: deps.cap, job: deps.job },
  readsTags: JSON.stringify(deps.campaign.variants).includes('tags'),
});

/**
 * Recipients, their messages, jobs and events in one round trip, which holds the campaign's lock: what pause has answered holds. `first` was
 * looked at before; a run beside this one, a merge or an answer in between makes it look again, for as many messages at most. False: the
 * campaign or the run is over.
 */
export function feedBatch(deps: BatchDeps, first: Looked): Promise<boolean> {
  const { transact, campaign, cap } = deps;
  const look = async (attempt: number): Promise<Looked> => (attempt === 1 ? first : lookAgain(deps, first));
  return transact(
    {
      look,
      locks: ({ plan }) => [campaignLane(campaign.id), ...locksOf(plan, cap)],
      outdatedBy: (error) => isContactMissing(error) || violatedConstraint(error) === conversationTaken,
      isOneTrip: true,
    },
    async ({ own: tx }, { plan, isRunning, isHeard }) => {
      if (plan.sends.length + plan.skips.length === 0) return isRunning;
      acceptMany(tx, plan.sends, { campaignId: campaign.id, isHeard });
      tx.include(recipientsPart(deps, plan));
      const perMinute = campaign.pace.per_minute;
      if (perMinute && plan.sends.length > 0)
        tx.include({ text: pacedPart, params: [tx.organizationId, campaign.id, plan.sends.length, perMinute] });
      return isRunning;
    },
  );
}

async function lookAgain(deps: BatchDeps, { plan: { sends, skips }, channels }: Looked): Promise<Looked> {
  const [seen, made] = [Map.groupBy([...sends, ...skips], channelOf), Map.groupBy(sends, channelOf)];
  const due = await lookForDue(deps.own, askFor(deps, new Map([...seen].map(([id, all]) => [id, all.length]))));
  const turns = channels
    .filter(({ id }) => seen.has(id))
    .map((channel) => newTurn(channel, [{ left: made.get(channel.id)?.length ?? 0, waitMs: 0 }]));
  const plan = await planOf(due.isRunning ? due.rows : [], new Map(turns.map((turn) => [turn.channel.id, turn])), deps);
  return { ...due, plan, channels };
}

const channelOf = ({ channelId }: { channelId: string }) => channelId;

const locksOf = ({ sends }: Plan, cap: FrequencyCap | null) =>
  sends.flatMap(({ conversationId, contactId }) => [conversationLane(conversationId), ...(cap ? [contactLock(contactId)] : [])]);

function recipientsPart({ own, campaign, job, cap }: BatchDeps, { sends, skips }: Plan): Part {
  const params = [
    own.organizationId,
    campaign.id,
    [...sends.map(({ recipientId }) => recipientId), ...skips.map(({ recipientId }) => recipientId)],
    [...sends.map(({ contactId }) => contactId), ...skips.map(({ contactId }) => contactId)],
    [...sends.map(({ id }) => id), ...skips.map(() => null)],
    [...sends.map(() => ''), ...skips.map(({ reason }) => reason)],
    job.id,
    job.run,
  ];
  if (!cap) return { text: fedPart, params, assertion: stillRuns };
  return { text: fedPart, params: [...params, cap.max, cap.days], assertion: stillUncapped };
}
