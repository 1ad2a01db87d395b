import { campaignLane, feedCampaignJob, prepareCampaignJob, withdrawCampaignJob } from '../../src/campaigns/jobs.ts';
import type { CampaignStatus } from '../../src/campaigns/states.ts';
import { uuidv7 } from '../../src/platform/ids.ts';
import type { JobContract } from '../../src/platform/ledger/job.ts';
import { feedCampaign } from '../../workers/campaigns/feed-campaign.ts';
import { prepareCampaign } from '../../workers/campaigns/prepare-campaign.ts';
import { withdrawCampaign } from '../../workers/campaigns/withdraw-campaign.ts';
import type { Ended } from '../../workers/run-job.ts';
import { type ChannelMade, channel } from './factories/channel.ts';
import { openHouse, type ToyHandler } from './house.ts';

export const variants = [
  {
    id: 'a',
    weight: 1,
    templates: [
      {
        name: 'offer',
        language: 'en_US',
        components: [{ type: 'body', parameters: [{ type: 'text', text: '{{ contact.name }}' }] }],
      },
    ],
  },
];

type Given = {
  status?: CampaignStatus;
  phase?: string | null;
  channels?: string[];
  audience?: object;
  schedule?: object;
  pace?: object;
  guards?: object;
  purpose?: string;
  variants?: unknown[];
};
type People = { count: number; consent?: string | null; customFields?: object; hasAddress?: boolean };

/** A house with what campaigns need, whose jobs run when the test says so. */
export async function openCampaignHouse() {
  const house = await openHouse();
  const { organizationId: organization, sql } = house;
  let numbers = 0;

  const connected = async (given: { rate?: number; accountId?: string; category?: string } = {}): Promise<ChannelMade> => {
    const made = await channel(house.em(), organization, given);
    await sql(
      `insert into templates (id, organization_id, channel_id, name, language, category, status, components)
       values (uuidv7(), $1, $2, 'offer', 'en_US', $3, 'approved', '[{"type": "BODY", "text": "Hello {{1}}"}]')`,
      [organization, made.id, given.category ?? 'marketing'],
    );
    return made;
  };

  /** Their ids, in order. */
  async function people({ count, consent = 'granted', customFields = {}, hasAddress = true }: People): Promise<string[]> {
    const from = numbers;
    numbers += count;
    const rows = await sql<{ id: string }>(
      `with made as materialized (select uuidv7() as id, n from generate_series($2::int + 1, $2::int + $3::int) n),
       k as (
         insert into contacts (organization_id, id, name, phone_number, custom_fields)
         select $1, id, 'Person ' || n, case when $6 then '+1650' || lpad(n::text, 7, '0') else '' end, $4::jsonb from made),
       i as (
         insert into contact_identities (organization_id, id, contact_id, type, value)
         select $1, uuidv7(), m.id, t.type, case when t.type = 'phone' then '+' else '' end || '1650' || lpad(n::text, 7, '0')
           from made m, unnest('{phone,messaging_app}'::text[]) t(type) where $6),
       c as (
         insert into contact_consents (organization_id, id, contact_id, channel, status)
         select $1, uuidv7(), id, 'messaging_app', $5 from made where $5::text is not null)
       select id from made order by n`,
      [organization, from, count, JSON.stringify(customFields), consent, hasAddress],
    );
    return rows.map(({ id }) => id);
  }

  async function campaign(given: Given = {}): Promise<string> {
    const id = uuidv7();
    const { status = 'running', phase = 'sending', channels = [], purpose = 'marketing' } = given;
    const json = [given.variants ?? variants, given.audience ?? {}, given.schedule ?? {}, given.pace ?? {}, given.guards ?? {}];
    await sql(
      `insert into campaigns (organization_id, id, name, status, phase, purpose, variants, audience, schedule, pace, guards, started_at, start_at, zones)
       values ($1, $2, 'Test', $3, $4, $5, $6, $7, $8, $9, $10, clock_timestamp(), clock_timestamp(), '{UTC}')`,
      [organization, id, status, phase, purpose, ...json.map((one) => JSON.stringify(one))],
    );
    for (const [position, channelId] of channels.entries())
      await sql('insert into campaign_channels values ($1, $2, $3, $4)', [organization, id, channelId, position]);
    return id;
  }

  async function recipients(campaignId: string, channelId: string, contactIds: string[], more: { zone?: string } = {}) {
    await sql(
      `insert into campaign_recipients (organization_id, id, campaign_id, contact_id, channel_id, variant_id, zone, due_at)
       select $1, uuidv7(), $2, k, $3, 'a', $5, clock_timestamp() - interval '1 s' from unnest($4::uuid[]) k`,
      [organization, campaignId, channelId, contactIds, more.zone ?? 'UTC'],
    );
  }

  const job = (contract: JobContract<{ campaign_id: string }>, id: string) =>
    house.ledger.transact({ locks: [campaignLane(id)] }, async (tx) =>
      tx.enqueue(contract, organization, { campaign_id: id }, { lane: campaignLane(id) }),
    );

  /** The next run of the job, whenever that is due. */
  async function run(handler: unknown, id: string): Promise<Ended> {
    const name = (handler as { contract: { name: string } }).contract.name;
    const [row] = await sql<{ id: string; run: number }>(
      `update jobs set run_at = clock_timestamp() where subject_id = $1 and name = $2 and state = 'queued' returning id, run`,
      [id, name],
    );
    if (!row) throw new Error(`No job ${name} is queued`);
    const ended = await house.run(handler as ToyHandler, row);
    const fault = house.lines.find(({ msg }) => msg === 'a fault of our own');
    if (fault) throw new Error(JSON.stringify(fault));
    return ended;
  }

  return {
    house,
    sql,
    organization,
    connected,
    people,
    campaign,
    recipients,
    startPrepare: (id: string) => job(prepareCampaignJob, id),
    startFeed: (id: string) => job(feedCampaignJob, id),
    startWithdraw: (id: string) => job(withdrawCampaignJob, id),
    prepare: (id: string) => run(prepareCampaign, id),
    feed: (id: string) => run(feedCampaign, id),
    withdraw: (id: string) => run(withdrawCampaign, id),
    statusOf: async (id: string) =>
      (
        await sql<{ status: string; phase: string | null; reason: string }>(
          'select status, phase, reason from campaigns where id = $1',
          [id],
        )
      )[0]!,
    /** How many recipients have each status, with its reason. */
    counts: async (id: string): Promise<Record<string, number>> => {
      const rows = await sql<{ status: string; reason: string; n: number }>(
        'select status, reason, count(*)::int as n from campaign_recipients where campaign_id = $1 group by 1, 2',
        [id],
      );
      return Object.fromEntries(rows.map(({ status, reason, n }) => [reason ? `${status}: ${reason}` : status, n]));
    },
    messagesOf: (id: string) =>
      sql<{ id: string; contact_id: string; conversation_id: string; status: string; channel_id: string }>(
        'select id, contact_id, conversation_id, status, channel_id from messages where campaign_id = $1 order by id',
        [id],
      ),
    /** As their sends leave them. */
    async settle(id: string, status = 'sent') {
      await sql(
        `with m as (update messages set status = $2 where campaign_id = $1 and status = 'queued' returning id),
              j as (delete from jobs where subject_id in (select id from m))
         update campaign_recipients r set status = $2, result_at = clock_timestamp() from m where r.message_id = m.id`,
        [id, status],
      );
    },
    close: () => house.close(),
  };
}
export type CampaignHouse = Awaited<ReturnType<typeof openCampaignHouse>>;
