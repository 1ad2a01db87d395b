import { campaignsLock } from '../../src/campaigns/campaign-row.ts';
import { campaignLane, preparePool } from '../../src/campaigns/jobs.ts';
import { cancelCampaign, pauseCampaign, resumeCampaign } from '../../src/campaigns/pause.ts';
import { askForRetry } from '../../src/campaigns/retry-failed.ts';
import { startCampaign } from '../../src/campaigns/start.ts';
import { knowJobs } from '../../src/jobs.ts';
import { letPoolGo, nobody, poolOf } from '../../src/platform/ledger/pools.ts';
import { type TenantTransact, transactFor } from '../../src/platform/ledger/tenant.ts';
import type { TenantTx } from '../../src/platform/ledger/tx.ts';
import { feedCampaign } from '../../workers/campaigns/feed-campaign.ts';
import { prepareCampaign } from '../../workers/campaigns/prepare-campaign.ts';
import { retryFailed } from '../../workers/campaigns/retry-failed.ts';
import { withdrawCampaign } from '../../workers/campaigns/withdraw-campaign.ts';
import { sendMessage } from '../../workers/messaging/send-message.ts';
import { type Sent, scriptedProvider } from './campaign-provider.ts';
import { watchMoves } from './campaign-seen.ts';
import { openCampaignHouse } from './campaigns.ts';
import { cutConnections } from './cut-connections.ts';
import type { ChannelMade } from './factories/channel.ts';
import type { ToyHandler } from './house.ts';

const handlers = {
  'campaigns.prepare': prepareCampaign,
  'campaigns.feed': feedCampaign,
  'campaigns.withdraw': withdrawCampaign,
  'campaigns.retry-failed': retryFailed,
  'messages.send': sendMessage,
};
const maxRounds = 60;

type Row = { id: string; run: number; subject_id: string };
export type Work = keyof typeof handlers;
export const campaignWorks = Object.keys(handlers).slice(0, -1) as Work[];

export const campaignMovers = {
  start: (tx: TenantTx, id: string) => startCampaign(tx, id, 'key:test'),
  pause: (tx: TenantTx, id: string) => pauseCampaign(tx.own, id),
  resume: resumeCampaign,
  cancel: (tx: TenantTx, id: string) => cancelCampaign(tx.own, id),
  'retry-failed': (tx: TenantTx, id: string) => askForRetry(tx.own, id, false),
};
export type Mover = keyof typeof campaignMovers;

/** A house of campaigns whose work is done when the test says so, to the end or cut off, with a provider that answers as it is told. */
export async function openCampaignRuns(hear: (sent: Sent) => void) {
  knowJobs();
  const at = await openCampaignHouse();
  const { house, sql, organization } = at;
  const cuts = cutConnections(house.database.pool);
  const provider = scriptedProvider(hear);
  Object.assign(house.deps, { providers: { messagingApp: provider }, isStopping: cuts.isDead });
  // A web process has been there all the time: what nobody was told of by now is not told any more.
  await sql(
    `insert into heartbeats values (uuidv7(), 'web', clock_timestamp() - interval '1 day', clock_timestamp() + interval '1 day')`,
  );
  await watchMoves(at);
  const transact: TenantTransact = transactFor(house.ledger.transact, organization);
  const channels: ChannelMade[] = [];
  const ofMessages = 'subject_id in (select id from messages where campaign_id = $2)';

  /** Due now. */
  const queued = (work: Work, campaignId: string) =>
    sql<Row>(
      `update jobs set run_at = clock_timestamp()
        where name = $1 and state = 'queued' and ${work === 'messages.send' ? ofMessages : 'subject_id = $2'} returning id, run, subject_id`,
      [work, campaignId],
    );

  const move = (id: string, action: Mover) =>
    transact(
      { locks: [campaignLane(id), campaignsLock(organization)] },
      async (tx): Promise<unknown> => campaignMovers[action](tx, id),
    );

  const run = (name: Work, row: Row) => house.run(handlers[name] as unknown as ToyHandler, row);

  /** One run of a job of the campaign, whenever it is due. False: there is none. */
  async function work(name: Work, id: string): Promise<boolean> {
    const [row] = await queued(name, id);
    if (row) await run(name, row);
    return row !== undefined;
  }

  /** What waits is due, what is held goes on, and nobody hears any more of what was not answered. */
  async function passTime(id: string) {
    for (const { pool } of channels) await letPoolGo(house.em(), house.pool(pool));
    await sql(
      `with r as (update campaign_recipients set due_at = clock_timestamp() - interval '1 s' where campaign_id = $1 and status = 'pending'),
            m as (update messages set sending_at = clock_timestamp() - interval '1 hour' where campaign_id = $1 and status = 'sending')
       update jobs set run_at = clock_timestamp() - interval '1 s' where state = 'queued'`,
      [id],
    );
    for (const { pool } of channels) await house.ledger.fill(house.pool(pool));
    await house.ledger.fill(poolOf(nobody, preparePool));
  }

  return {
    ...at,
    cuts,
    provider,
    transact,
    queued,
    move,
    run,
    work,
    passTime,
    async channel(share: number) {
      const made = await at.connected({ rate: 1_000 });
      // The feed makes few at a time, and the pool lets them all go.
      await sql('update channels set rate = $2 where id = $1', [made.id, share]);
      channels.push(made);
      return made;
    },
    /** Without a fault, and with a provider that takes everything. */
    async toEnd(id: string): Promise<void> {
      provider.next('accepted');
      for (let round = 0; round < maxRounds; round += 1) {
        await passTime(id);
        const { status } = await at.statusOf(id);
        if (status === 'draft') await move(id, 'start');
        if (status === 'paused') await move(id, 'resume');
        const isWorked = [];
        for (const name of campaignWorks) isWorked.push(await work(name, id));
        const sends = await queued('messages.send', id);
        for (const _ of sends) await work('messages.send', id);
        if (!isWorked.includes(true) && sends.length === 0) return;
      }
      throw new Error(`The campaign does not end: ${JSON.stringify([await at.statusOf(id), await at.counts(id)])}`);
    },
  };
}
export type CampaignRuns = Awaited<ReturnType<typeof openCampaignRuns>>;
