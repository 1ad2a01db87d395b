import { takeStep } from '../../src/campaigns/prepare/step.ts';
import { ownRows } from '../../src/platform/database/own.ts';
import { transactFor } from '../../src/platform/ledger/tenant.ts';
import { copiedAudience } from '../floors/campaigns.ts';
import { type Kanal, openKanal } from '../long/kanal.ts';
import type { Side, Stage } from '../stage.ts';
import { addCampaign, addTemplate, takeCampaignsAway } from './campaign.ts';
import { addPeople, inGroup } from './people.ts';
import type { InTurns } from './report.ts';

const group = 'audience';

/** The audience of a campaign, by a filter that all meet, in its steps; beside one `insert … select`, alternately. */
export async function prepareBench(stage: Stage, rows: number, rounds: number): Promise<InTurns> {
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
        await takeCampaignsAway(side.sql);
        const perSecond = rows / (await (name === 'kanal' ? prepared(kanal, side) : copied(side)));
        await assertMade(side, rows);
        // What a process does only once must not count.
        if (number >= 0) result[name].push(perSecond);
      }
    return result;
  } finally {
    for (const { sql } of [stage.kanal, stage.floor]) await takeCampaignsAway(sql);
    await kanal.close();
  }
}

const given = ({ tenant: { organizationId, channelId } }: Side) => ({ organizationId, channelId, phase: 'preparing' as const });

async function prepared({ database, ledger }: Kanal, side: Side): Promise<number> {
  const { organizationId } = side.tenant;
  const { id, jobId } = await addCampaign(side.sql, { ...given(side), audience: inGroup(group) });
  const own = ownRows(database, organizationId);
  const deps = { database, own, transact: transactFor(ledger.transact, organizationId) };
  const startedAt = performance.now();
  while ((await takeStep(deps, id, { organization_id: organizationId, id: jobId, run: 1 })) === 'more');
  return (performance.now() - startedAt) / 1_000;
}

async function copied(side: Side): Promise<number> {
  const { id } = await addCampaign(side.sql, given(side));
  const startedAt = performance.now();
  await copiedAudience(side.sql, { ...side.tenant, campaignId: id, group });
  return (performance.now() - startedAt) / 1_000;
}

async function assertMade({ sql, name }: Side, rows: number) {
  const { rows: found } = await sql.query('select count(*)::int as count from campaign_recipients');
  if (found[0].count !== rows) throw new Error(`campaign-prepare, ${name}: ${found[0].count} of ${rows}`);
}
