import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { type CampaignRuns, openCampaignRuns } from '../../support/campaign-runs.ts';
import { assertClean, assertSound } from '../../support/campaign-seen.ts';
import type { ChannelMade } from '../../support/factories/channel.ts';
import { waitFor } from '../../support/wait-for.ts';
import { campaignRows } from '../../support/work/campaigns.ts';

/** A message that was made in time and waited, as for a channel whose token was mended at night. */
let at: CampaignRuns;
let channel: ChannelMade;
const sent: string[] = [];
beforeAll(async () => {
  at = await openCampaignRuns(({ phone }) => sent.push(phone));
});
beforeEach(async () => {
  sent.length = 0;
  channel = await at.channel(10);
});
afterAll(() => at.close());

const timeIn = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString().slice(11, 16);
const quiet = (from: number, to: number) => ({ quiet_hours: { from: timeIn(from), to: timeIn(to) } });
const nextDay = new Date(Date.now() + 2 * 86_400_000).toLocaleDateString('en', { weekday: 'long', timeZone: 'UTC' });

/** A campaign whose message is made, and whose schedule is another one by now. */
async function waiting(schedule: object, zone = 'UTC') {
  const people = await at.people({ count: 2 });
  const id = await at.campaign({ channels: [channel.id] });
  await at.recipients(id, channel.id, people, { zone });
  await campaignRows.change(at, id, { zones: [zone], schedule: {} });
  await at.startFeed(id);
  await at.work('campaigns.feed', id);
  expect(await at.counts(id)).toEqual({ queued: 2 });
  await campaignRows.change(at, id, { schedule });
  return id;
}

async function sendAll(id: string) {
  // A fill brings them to the queue.
  const rows = await waitFor('both messages', async () => {
    const all = await at.queued('messages.send', id);
    return all.length === 2 && all;
  });
  for (const row of rows) await at.run('messages.send', row);
}

describe('a message that waited until the hours of its campaign were over', () => {
  test.each<[string, object, string]>([
    ['quiet hours', quiet(-120, 120), 'UTC'],
    ['quiet hours of another zone', quiet(-120 + 9 * 60, 120 + 9 * 60), 'Asia/Tokyo'],
    ['a day that is none of its days', { days: [nextDay.toLowerCase()] }, 'UTC'],
    ['its end', { end_at: new Date(Date.now() - 3_600_000).toISOString() }, 'UTC'],
  ])('%s: is not sent, and the person waits again', async (_, schedule, zone) => {
    const id = await waiting(schedule, zone);
    await sendAll(id);
    expect(sent).toEqual([]);
    expect(await at.counts(id)).toEqual({ pending: 2 });
    const messages = await at.sql(`select status, failure->>'code' as code from messages where campaign_id = $1`, [id]);
    expect(messages).toEqual(Array(2).fill({ status: 'failed', code: 'out_of_hours' }));
    await assertSound(at, id);
    await assertClean(at);
  });

  test('they are written to once when it is day again; after its end they have expired', async () => {
    const [night, over] = [await waiting(quiet(-120, 120)), await waiting({ end_at: '2026-01-01T00:00:00Z' })];
    await sendAll(night);
    await sendAll(over);
    await campaignRows.change(at, night, { schedule: quiet(60, 120) });
    await at.toEnd(night);
    expect(await at.counts(night)).toEqual({ sent: 2 });
    expect(new Set(sent).size).toBe(2);
    expect(sent).toHaveLength(2);
    await at.toEnd(over);
    expect(await at.counts(over)).toEqual({ 'skipped: expired': 2 });
  });

  test.each<[string, () => object]>([
    ['in its hours', () => quiet(60, 120)],
    // From the next minute on where this one is nearly over.
    ['in the minute after them, which the channel may need', () => quiet(new Date().getSeconds() > 50 ? 1 : 0, 120)],
  ])('%s it goes out', async (_, schedule) => {
    const id = await waiting(schedule());
    await sendAll(id);
    expect(await at.counts(id)).toEqual({ sent: 2 });
  });

  test('of a campaign that has ended it goes out: somebody retries it by hand', async () => {
    const id = await waiting(quiet(-120, 120));
    await campaignRows.change(at, id, { status: 'completed', phase: null });
    await sendAll(id);
    expect(await at.counts(id)).toEqual({ sent: 2 });
  });
});
