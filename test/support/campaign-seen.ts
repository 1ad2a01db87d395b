import { expect } from '@jest/globals';
import { countsOf } from '../../src/campaigns/counts.ts';
import { campaignMoves, recipientMoves } from '../../src/campaigns/states.ts';
import { statsOf } from '../../src/campaigns/stats.ts';
import { ownRows } from '../../src/platform/database/own.ts';
import { checkJobs } from '../../src/platform/ledger/check.ts';
import type { CampaignHouse } from './campaigns.ts';

const tables = ['campaigns', 'campaign_recipients'] as const;

/** Notes each move of a campaign and of a recipient, whoever makes it. */
export async function watchMoves({ sql }: Pick<CampaignHouse, 'sql'>): Promise<void> {
  await sql('create table seen_moves (of text, id uuid, campaign_id uuid, was text, became text)');
  for (const table of tables) {
    const campaign = table === 'campaigns' ? 'new.id' : 'new.campaign_id';
    await sql(
      `create function see_${table}() returns trigger language plpgsql as
       $$ begin insert into seen_moves values ('${table}', new.id, ${campaign}, old.status, new.status); return new; end $$`,
    );
    await sql(
      `create trigger see_move after update of status on ${table} for each row
       when (old.status is distinct from new.status) execute function see_${table}()`,
    );
  }
}

type Move = { of: (typeof tables)[number]; was: string; became: string };
const mayFollow = (was: string) =>
  Object.entries(campaignMoves).flatMap(([action, from]) => (action === 'delete' ? [] : (from[was as never] ?? []))) as string[];

/** All that holds of a campaign at any moment between two transactions. */
export async function assertSound({ house, sql, organization }: CampaignHouse, id: string): Promise<void> {
  const moves = await sql<Move>('select of, was, became from seen_moves where campaign_id = $1', [id]);
  const strange = moves.filter(({ of, was, became }) =>
    of === 'campaigns' ? !mayFollow(was).includes(became) : !recipientMoves[was as never as 'pending'].includes(became as never),
  );
  expect(strange).toEqual([]);
  const twice = await sql(
    `select contact_id from campaign_recipients where campaign_id = $1 and contact_id is not null and not is_extra group by 1 having count(*) > 1`,
    [id],
  );
  expect(twice).toEqual([]);
  const told = await sql<{ type: string; n: number }>(
    'select type, count(*)::int as n from events where subject_id = $1 group by 1',
    [id],
  );
  const times = (became?: string) =>
    moves.filter((move) => move.of === 'campaigns' && (!became || move.became === became)).length;
  const eventsOf = (type: string) => told.find((one) => one.type === type)?.n ?? 0;
  expect(eventsOf('campaign.status_update')).toBe(times());
  expect(eventsOf('campaign.completed')).toBe(times('completed'));
  const rows = await sql<{ status: string; n: number }>(
    'select status, count(*)::int as n from campaign_recipients where campaign_id = $1 group by 1',
    [id],
  );
  const own = ownRows(house.database, organization);
  const { counts } = await countsOf(own, { id });
  const total = rows.reduce((sum, { n }) => sum + n, 0);
  expect(counts).toMatchObject({ total, ...Object.fromEntries(rows.map(({ status, n }) => [status, n])) });
  expect((await statsOf(own, id)).counts).toEqual(counts);
}

const unfinished = `
  select r.status, m.status as message, c.status as campaign
    from campaigns c
    join campaign_recipients r on r.campaign_id = c.id
    left join messages m on m.id = r.message_id
   where c.id = $1
     and (r.status in ('pending', 'queued')
       or r.status in ('sent', 'delivered', 'read', 'failed') and m.status is distinct from r.status
       or r.status = 'skipped' and m.status not in ('failed'))`;
const sentTwice = `
  select e.data->>'message_id' as message_id
    from events e
    join messages m on m.id = (e.data->>'message_id')::uuid
   where m.campaign_id = $1
     and e.type = 'message.sent'
   group by 1
  having count(*) > 1`;

/** And of one that has ended, whose messages have too. */
export async function assertEnded(at: CampaignHouse, id: string): Promise<void> {
  await assertSound(at, id);
  expect(await at.sql(unfinished, [id])).toEqual([]);
  expect(await at.sql(sentTwice, [id])).toEqual([]);
  expect(await at.sql(`select name, state from jobs where subject_id = $1 and state <> 'done'`, [id])).toEqual([]);
}

export const assertClean = async ({ house }: CampaignHouse) => expect(await checkJobs(house.database)).toEqual([]);
