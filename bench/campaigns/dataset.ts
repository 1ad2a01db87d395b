import type pg from 'pg';
import { uuidv7 } from '../../src/platform/ids.ts';
import { withoutIndexes } from '../long/fill/indexes.ts';
import { insertOwner, newOwner, type ScaleOwner } from '../scale-owner.ts';
import { variants } from './campaign.ts';

export type Owner = ScaleOwner & { rows: number; campaignId: string };
export type Dataset = Record<'large' | 'small', Owner>;

const smallRows = 10_000;
/** Of each owner beside the one that is read, with a hundred recipients each. */
const otherCampaigns = 100;
const ownerOf = (rows: number): Owner => ({ ...newOwner(), rows, campaignId: uuidv7() });

/** An organization with a campaign of so many, and one with ten thousand. Each has a hundred small campaigns too. */
export async function seedCampaigns(pool: pg.Pool, rows: number): Promise<Dataset> {
  const [small, large] = [ownerOf(smallRows), ownerOf(rows)];
  const sql = await pool.connect();
  try {
    for (const owner of [small, large]) await insertOwner(sql, owner);
    const restore = await withoutIndexes(pool, ['contacts', 'campaign_recipients'], 2);
    for (const owner of [small, large]) await fill(sql, owner);
    await restore();
    await sql.query('analyze');
  } finally {
    sql.release();
  }
  return { large, small };
}

/** By the number of a recipient: 40 % delivered, 30 % read, 20 % sent, 5 % failed, 5 % skipped. */
const statusOf = `
  case when n % 20 < 8 then 'delivered' when n % 20 < 14 then 'read' when n % 20 < 18 then 'sent'
       when n % 20 = 18 then 'failed' else 'skipped' end`;

async function fill(sql: pg.ClientBase, { organizationId, rows, campaignId }: Owner) {
  const channelId = uuidv7();
  await sql.query(
    `insert into channels (id, organization_id, provider, name, phone_number_id, account_id, display_phone, status, access_token, rate)
     values ($1, $2, 'messaging_app', 'Bench', $3, '1', '+1 555-010-0009', 'connected', 'x', 80)`,
    [channelId, organizationId, channelId],
  );
  await sql.query(
    `insert into campaigns (organization_id, id, name, status, variants, started_at, ended_at)
     select $1, x.id, 'Bench', 'completed', $3, clock_timestamp() - interval '1 day', clock_timestamp()
       from (select $2::uuid as id union all select uuidv7() from generate_series(1, ${otherCampaigns})) x`,
    [organizationId, campaignId, JSON.stringify(variants)],
  );
  await sql.query(
    'insert into campaign_channels (organization_id, campaign_id, channel_id, position) select $1, id, $2, 0 from campaigns where organization_id = $1',
    [organizationId, channelId],
  );
  await sql.query(
    `insert into contacts (organization_id, id, name, phone_number)
     select $1, uuidv7(), 'Person ' || n, '+1650' || lpad(n::text, 8, '0') from generate_series(1, $2::int) n`,
    [organizationId, rows],
  );
  const columns = `organization_id, campaign_id, id, contact_id, channel_id, variant_id, status, reason, failure_code, message_id, attempts,
    queued_at, sent_at, delivered_at, read_at, failed_at, result_at, replied_at`;
  const values = (campaign: string) => `
    $1, ${campaign}, uuidv7(), k.id, $2, 'a', k.status, case k.status when 'skipped' then 'suppressed' else '' end,
    case k.status when 'failed' then '131026' else '' end, case k.status when 'skipped' then null else uuidv7() end,
    case k.status when 'skipped' then 0 else 1 end,
    case when k.status <> 'skipped' then k.at end, case when k.status in ('sent', 'delivered', 'read') then k.at end,
    case when k.status in ('delivered', 'read') then k.at end, case when k.status = 'read' then k.at end,
    case when k.status = 'failed' then k.at end, case when k.status <> 'skipped' then k.at end, case when n % 9 = 0 then k.at end`;
  const people = `
    select id, n, ${statusOf} as status, clock_timestamp() - interval '1 day' + n * interval '10 ms' as at
      from (select id, row_number() over (order by id) as n from contacts where organization_id = $1) c`;
  await sql.query(`insert into campaign_recipients (${columns}) select ${values('$3')} from (${people}) k`, [
    ...[organizationId, channelId, campaignId],
  ]);
  await sql.query(
    `insert into campaign_recipients (${columns})
     select ${values('o.id')}
       from campaigns o, (select * from (${people}) p where n <= 100) k
      where o.organization_id = $1 and o.id <> $3`,
    [organizationId, channelId, campaignId],
  );
}
