import { getCampaign } from '../../src/campaigns/campaign-row.ts';
import { compile } from '../../src/campaigns/content/compile.ts';
import type { BatchDeps } from '../../src/campaigns/feed/batch.ts';
import { feedChannels } from '../../src/campaigns/feed/channels.ts';
import { readRooms } from '../../src/campaigns/feed/rooms.ts';
import { readTemplates } from '../../src/campaigns/feed/templates.ts';
import { newTurn, unbounded } from '../../src/campaigns/feed/turns.ts';
import type { Database } from '../../src/platform/database/database.ts';
import { ownRows } from '../../src/platform/database/own.ts';
import { transactFor } from '../../src/platform/ledger/tenant.ts';
import { createTransact } from '../../src/platform/ledger/transact.ts';
import { fedByHand } from '../floors/campaigns.ts';
import { openKanal } from '../long/kanal.ts';
import type { Side, Stage } from '../stage.ts';
import { addCampaign, addTemplate, takeCampaignsAway } from './campaign.ts';
import { addPeople } from './people.ts';
import type { InTurns } from './report.ts';

const group = 'recipients';

/** Recipients into messages, jobs and events; nothing is handed to the queue. Beside the same rows by hand, alternately. */
export async function feedBench(stage: Stage, rows: number, rounds: number): Promise<InTurns> {
  for (const { sql, tenant } of [stage.kanal, stage.floor]) {
    await addTemplate(sql, tenant.organizationId, tenant.channelId);
    await addPeople(sql, { organizationId: tenant.organizationId, count: rows, group });
  }
  const kanal = await openKanal(stage.kanal);
  const result: InTurns = { rows, kanal: [], floor: [] };
  try {
    for (let number = -1; number < rounds; number += 1)
      for (const name of number % 2 === 0 ? (['kanal', 'floor'] as const) : (['floor', 'kanal'] as const)) {
        const side = stage[name];
        const { id, jobId } = await refilled(side);
        const run = name === 'kanal' ? await feedOf(kanal.database, side, id, jobId) : fedByHand(side.sql, side.tenant, id);
        const startedAt = performance.now();
        await run();
        const seconds = (performance.now() - startedAt) / 1_000;
        await assertFed(side, rows);
        // What a process does only once must not count.
        if (number >= 0) result[name].push(rows / seconds);
      }
    return result;
  } finally {
    for (const { sql } of [stage.kanal, stage.floor]) await takeCampaignsAway(sql);
    await kanal.close();
  }
}

/** As a campaign begins: nobody was written to, and with every second person there is a conversation. */
async function refilled({ sql, tenant: { organizationId, channelId } }: Side) {
  await takeCampaignsAway(sql);
  const campaign = await addCampaign(sql, { organizationId, channelId, phase: 'sending' });
  const params = [organizationId, channelId, group];
  await sql.query(
    `insert into conversations (id, organization_id, channel_id, contact_id, status, last_message_at)
     select uuidv7(), $1, $2, id, 'open', clock_timestamp() - interval '1 day'
       from (select id, row_number() over (order by id) as n
               from contacts
              where organization_id = $1 and custom_fields ->> 'group' = $3) k
      where n % 2 = 0`,
    params,
  );
  await sql.query(
    `insert into campaign_recipients (organization_id, id, campaign_id, contact_id, channel_id, variant_id, due_at)
     select $1, uuidv7(), $4, id, $2, 'a', clock_timestamp() - interval '1 s'
       from contacts
      where organization_id = $1 and custom_fields ->> 'group' = $3`,
    [...params, campaign.id],
  );
  await sql.query('vacuum analyze campaigns, campaign_channels, campaign_recipients, conversations, messages, events, jobs');
  return campaign;
}

async function feedOf(database: Database, { tenant: { organizationId } }: Side, id: string, jobId: string) {
  const own = ownRows(database, organizationId);
  const campaign = await getCampaign(own, id);
  const deps: BatchDeps = {
    ...{ own, campaign, zones: campaign.zones, cap: null, content: compile(campaign.variants) },
    transact: transactFor(
      createTransact(database, () => undefined),
      organizationId,
    ),
    job: { organization_id: organizationId, id: jobId, run: 1 },
    templates: await readTemplates(own, campaign.channel_ids, campaign.variants),
    timezone: 'UTC',
  };
  const turns = (await readRooms(own, id)).map((channel) => newTurn(channel, [unbounded()]));
  return async () => {
    const isRunning = await feedChannels(deps, turns, Number.POSITIVE_INFINITY);
    if (!isRunning || turns.some(({ hasMore }) => hasMore)) throw new Error('campaign-feed: it has stopped');
  };
}

async function assertFed({ sql, name, tenant: { organizationId } }: Side, rows: number) {
  const { rows: found } = await sql.query(
    `select (select count(*)::int from campaign_recipients where status = 'queued') as recipients,
            (select count(*)::int from messages where organization_id = $1) as messages,
            (select count(*)::int from jobs where name = 'messages.send') as jobs,
            (select count(*)::int from conversations where preview <> '') as conversations,
            (select count(*)::int from events) as events`,
    [organizationId],
  );
  const { events, ...all } = found[0];
  if (Object.values(all).some((count) => count !== rows) || events !== 1.5 * rows)
    throw new Error(`campaign-feed, ${name}: ${JSON.stringify(found[0])} of ${rows}`);
}
