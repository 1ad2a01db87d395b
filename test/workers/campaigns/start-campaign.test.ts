import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { campaignsLock } from '../../../src/campaigns/campaign-row.ts';
import { patchCampaign } from '../../../src/campaigns/change.ts';
import { createCampaign } from '../../../src/campaigns/create.ts';
import { campaignLane } from '../../../src/campaigns/jobs.ts';
import { resumeCampaign } from '../../../src/campaigns/pause.ts';
import { startCampaign as startIt } from '../../../src/campaigns/start.ts';
import { uuidv7 } from '../../../src/platform/ids.ts';
import { transactFor } from '../../../src/platform/ledger/tenant.ts';
import { startCampaign } from '../../../workers/campaigns/start-campaign.ts';
import { channel } from '../../support/factories/channel.ts';
import { contact } from '../../support/factories/contact.ts';
import { type House, openHouse, type ToyHandler } from '../../support/house.ts';
import { campaignRows } from '../../support/work/campaigns.ts';
import { channelRows, templateRows } from '../../support/work/channels.ts';
import { eventRows } from '../../support/work/events.ts';
import { jobRows, makeDue } from '../../support/work/jobs.ts';
import { rightNow } from '../../support/work/rows.ts';

let house: House;
let channelId: string;
let campaignId: string;
const handler = startCampaign as unknown as ToyHandler;

beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());

async function newChannel(): Promise<string> {
  const { id } = await channel(house.em(), house.organizationId);
  await templateRows.add(house, {
    organization_id: house.organizationId,
    channel_id: id,
    provider_template_id: uuidv7(),
    name: 'hello',
    language: 'en_US',
    category: 'utility',
    status: 'approved',
    components: [{ type: 'BODY', text: 'Hello' }],
  });
  return id;
}

const transact = () => transactFor(house.ledger.transact, house.organizationId);
const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();
const jobsOf = (name: string) => jobRows.all(house, { subject_id: campaignId, name }, ['id']);
const state = async () => {
  const { status, reason, phase, started_at } = await campaignRows.one(house, campaignId);
  return { status, reason, phase, is_started: started_at !== null };
};
/** Adds these times to the schedule of the campaign. */
async function schedule(times: { start_at?: string; end_at?: string }) {
  const stored = await campaignRows.one(house, campaignId);
  await campaignRows.change(house, campaignId, { schedule: { ...stored.schedule, ...times } });
}
const told = async () =>
  (await eventRows.all(house, { subject_id: campaignId }, ['data'], { seq: 'asc' })).map(({ data }) => [
    data.status,
    data.reason,
  ]);

beforeEach(async () => {
  channelId = await newChannel();
  const who = await contact(house.em(), house.organizationId);
  await transact()({ locks: [] }, async ({ own }) => {
    const variants = [{ id: 'a', weight: 1, templates: [{ name: 'hello', language: 'en_US', components: [] }] }];
    const audience = { contact_ids: [who.id] };
    campaignId = (await createCampaign(own, 'user:test', { name: 'Sale', channel_ids: [channelId], variants, audience })).id;
  });
  await transact()({ locks: [campaignLane(campaignId), campaignsLock(house.organizationId)] }, (tx) =>
    startIt(tx, campaignId, 'user:test', { start_at: inHours(5) }),
  );
});

/** Its time came so long ago: the row is due, and given to the queue as a sweep would. */
async function due(minutesAgo = 0) {
  const startAt = new Date(Date.now() - minutesAgo * 60_000).toISOString();
  await schedule({ start_at: startAt });
  await campaignRows.change(house, campaignId, { start_at: startAt });
  await makeDue(house, { subject_id: campaignId });
  const [row] = await jobsOf('campaigns.start');
  return (await house.row(row!.id))!;
}

describe('the time of a scheduled campaign', () => {
  test('has come: it runs, and a second run changes nothing', async () => {
    const row = await due();
    expect((await house.run(handler, row)).kind).toBe('done');
    await house.run(handler, row);
    expect(await state()).toEqual({ status: 'running', reason: '', phase: 'preparing', is_started: true });
    expect(await jobsOf('campaigns.prepare')).toHaveLength(1);
    expect(await jobsOf('campaigns.start')).toEqual([]);
    expect(await told()).toEqual([
      ['scheduled', ''],
      ['running', ''],
    ]);
  });

  test('is still to come, by the clock of the database: it waits', async () => {
    const row = await due(-1);
    expect((await house.run(handler, row)).kind).toBe('wait');
    expect(await state()).toMatchObject({ status: 'scheduled' });
  });

  test('was more than the grace ago: it pauses and asks', async () => {
    const row = await due(61);
    await house.run(handler, row);
    expect(await state()).toEqual({ status: 'paused', reason: 'late', phase: 'preparing', is_started: false });
    expect((await told()).at(-1)).toEqual(['paused', 'late']);
    expect(await jobsOf('campaigns.prepare')).toEqual([]);
  });

  test('was within the grace: it runs', async () => {
    await house.run(handler, await due(59));
    expect(await state()).toMatchObject({ status: 'running' });
  });

  test('has come, and one of its contacts was erased meanwhile: the others are written to', async () => {
    const { audience } = await campaignRows.one(house, campaignId);
    await campaignRows.change(house, campaignId, {
      audience: { ...audience, contact_ids: [...audience.contact_ids!, uuidv7()] },
    });
    await house.run(handler, await due());
    expect(await state()).toMatchObject({ status: 'running', reason: '' });
  });

  test.each([
    ['template_unknown', () => templateRows.remove(house, { channel_id: channelId })],
    ['template_unknown', () => templateRows.change(house, { channel_id: channelId }, { doing: 'delete' })],
    ['channel_stopped', () => channelRows.change(house, channelId, { deleted_at: rightNow() })],
    ['audience_empty', () => campaignRows.change(house, campaignId, { audience: {} })],
    [
      'audience_empty',
      async () => {
        await channelRows.change(house, channelId, { status: 'auth_error' });
        await campaignRows.change(house, campaignId, { audience: {} });
      },
    ],
  ])('%s: what does not come back fails it', async (reason, happen) => {
    await happen();
    await house.run(handler, await due());
    expect(await state()).toMatchObject({ status: 'failed', reason, phase: null });
    expect((await told()).at(-1)).toEqual(['failed', reason]);
  });

  test.each([
    ['template_paused', () => templateRows.change(house, { channel_id: channelId }, { status: 'paused' })],
    [
      'template_unknown',
      () => templateRows.change(house, { channel_id: channelId }, { components: [{ type: 'BODY', text: 'Hello {{1}}' }] }),
    ],
    ['channel_stopped', () => channelRows.change(house, channelId, { status: 'auth_error' })],
  ])('%s: what may come back pauses it, and it is resumed as one that begins', async (reason, happen) => {
    await happen();
    await house.run(handler, await due());
    expect(await state()).toEqual({ status: 'paused', reason, phase: 'preparing', is_started: false });
    expect((await told()).at(-1)).toEqual(['paused', reason]);
    const resume = () => transact()({ locks: [campaignLane(campaignId)] }, (tx) => resumeCampaign(tx, campaignId));
    await expect(resume()).rejects.toMatchObject({ status: 422 });
    const whole = { status: 'approved' as const, components: [{ type: 'BODY', text: 'Hello' }] };
    await templateRows.change(house, { channel_id: channelId }, whole);
    await channelRows.change(house, channelId, { status: 'connected' });
    await resume();
    expect(await state()).toEqual({ status: 'running', reason: '', phase: 'preparing', is_started: true });
    expect(await jobsOf('campaigns.prepare')).toHaveLength(1);
  });

  test('was changed: the job before starts nothing', async () => {
    const [before] = await jobsOf('campaigns.start');
    const row = (await house.row(before!.id))!;
    await transact()({ locks: [campaignLane(campaignId)] }, ({ own }) =>
      patchCampaign(own, campaignId, { schedule: { start_at: inHours(9) } }),
    );
    await house.run(handler, row);
    expect(await state()).toMatchObject({ status: 'scheduled' });
    const after = await jobsOf('campaigns.start');
    expect([after.length, after[0]!.id === before!.id]).toEqual([1, false]);
  });

  test('was past when it was set: that means now, and is not late', async () => {
    for (const schedule of [
      { start_at: inHours(-5) },
      { start_at: `${inHours(-30).slice(0, 16)}:00`, is_local: true, timezone: 'Asia/Jakarta' },
    ]) {
      await transact()({ locks: [campaignLane(campaignId)] }, ({ own }) => patchCampaign(own, campaignId, { schedule }));
      const [job] = await jobsOf('campaigns.start');
      const [row] = await house.sql<{ is_due: boolean }>(
        `select start_at between clock_timestamp() - interval '1 min' and clock_timestamp() as is_due from campaigns where id = $1`,
        [campaignId],
      );
      expect(row!.is_due).toBe(true);
      if (!('is_local' in schedule)) continue;
      await house.run(handler, (await house.row(job!.id))!);
      expect(await state()).toMatchObject({ status: 'running', reason: '' });
    }
  });

  test('was within the grace, and its end is past: it asks, since nobody would be written to', async () => {
    const row = await due(30);
    await schedule({ end_at: inHours(-0.25) });
    await house.run(handler, row);
    expect(await state()).toMatchObject({ status: 'paused', reason: 'late' });
  });
});
