import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { laterLeft } from '../../../src/campaigns/feed/rooms.ts';
import { type CampaignRuns, openCampaignRuns } from '../../support/campaign-runs.ts';
import { assertClean, assertSound } from '../../support/campaign-seen.ts';
import type { ChannelMade } from '../../support/factories/channel.ts';
import { campaignRows } from '../../support/work/campaigns.ts';
import { jobRows, poolRows, secondsUntilRun } from '../../support/work/jobs.ts';

/** "Something went wrong", which the provider asks to try again. */
const tryLater = 131000;
/** Too many people have reported the sender: of the whole number. */
const spamLimit = 131048;
const share = 30;

let at: CampaignRuns;
let channel: ChannelMade;
const asked: string[] = [];
beforeAll(async () => {
  at = await openCampaignRuns(({ phone }) => asked.push(phone));
});
beforeEach(async () => {
  asked.length = 0;
  at.provider.next(tryLater);
  channel = await at.channel(share);
});
afterAll(() => at.close());

async function running(count: number, on = channel) {
  const id = await at.campaign({ channels: [on.id] });
  await at.recipients(id, on.id, await at.people({ count }));
  await campaignRows.change(at, id, { prepared: { source: 1, after: null, is_done: true, made: 0 } });
  await at.startFeed(id);
  return id;
}

/** Each message that no worker has claimed yet is tried once. */
async function tryFirst(id: string) {
  await at.house.ledger.fill(at.house.pool(channel.pool));
  const messages = (await at.messagesOf(id)).map((message) => message.id);
  const untried = { name: 'messages.send', state: 'queued' as const, attempts: 0, subject_id: { $in: messages } };
  const rows = await jobRows.all(at, untried, ['id', 'run', 'subject_id']);
  for (const row of rows) await at.run('messages.send', row);
}

describe('while the provider answers "try later"', () => {
  test('no more messages wait for another try than a second has', async () => {
    const id = await running(4 * share);
    for (let round = 0; round < 4; round += 1) {
      await at.work('campaigns.feed', id);
      await tryFirst(id);
    }
    expect(asked).toHaveLength(share);
    expect(await at.counts(id)).toEqual({ queued: share, pending: 3 * share });
    expect(await at.work('campaigns.feed', id)).toBe(true);
    expect(await secondsUntilRun(at, { name: 'campaigns.feed', subject_id: id })).toBeGreaterThan(0.5);
  });

  test('who waits for minutes leaves the place to others', async () => {
    const id = await running(3 * share);
    for (let round = 0; round < 3; round += 1) {
      await at.work('campaigns.feed', id);
      await tryFirst(id);
      await at.sql(`update jobs set run_at = run_at + interval '5 min' where name = 'messages.send' and attempts > 0`);
    }
    expect(asked).toHaveLength(3 * share);
  });

  test.each([
    { later: 0, muchLater: 0, left: 30 },
    { later: 10, muchLater: 0, left: 20 },
    { later: 30, muchLater: 0, left: 0 },
    { later: 280, muchLater: 280, left: 20 },
    { later: 300, muchLater: 300, left: 0 },
    { later: 310, muchLater: 290, left: 0 },
  ])('of $later that wait, $muchLater of them long, $left more may come', ({ left, ...waiting }) => {
    expect(laterLeft({ share, ...waiting })).toBe(left);
  });

  test('on a slow channel a few of them do not hold up the others', async () => {
    channel = await at.channel(1);
    const id = await running(3);
    for (let round = 0; round < 3; round += 1) {
      await at.work('campaigns.feed', id);
      await tryFirst(id);
    }
    expect(asked).toHaveLength(3);
  });

  test('after a pause none is tried again: they wait, and are written to once after the resume', async () => {
    const id = await running(5);
    await at.work('campaigns.feed', id);
    await tryFirst(id);
    await at.move(id, 'pause');
    asked.length = 0;
    at.provider.next('accepted');
    await at.passTime(id);
    for (const row of await at.queued('messages.send', id)) await at.run('messages.send', row);
    expect(asked).toEqual([]);
    expect(await at.counts(id)).toEqual({ pending: 5 });
    const codes = await at.sql(`select distinct failure->>'code' as code from messages where campaign_id = $1`, [id]);
    expect(codes).toEqual([{ code: 'campaign_paused' }]);
    await assertSound(at, id);
    await assertClean(at);
    await at.toEnd(id);
    expect(await at.counts(id)).toEqual({ sent: 5 });
    expect(new Set(asked).size).toBe(5);
    expect(asked).toHaveLength(5);
  });

  test('after a pause none is tried again that the provider was too busy for: the run has spent no attempt on it', async () => {
    at.provider.next(spamLimit);
    const id = await running(1);
    await at.work('campaigns.feed', id);
    await tryFirst(id);
    expect(asked).toHaveLength(1);
    await at.move(id, 'pause');
    at.provider.next('accepted');
    await at.passTime(id);
    await poolRows.change(at, {}, { held_until: null });
    for (const row of await at.queued('messages.send', id)) await at.run('messages.send', row);
    expect(asked).toHaveLength(1);
    expect(await at.counts(id)).toEqual({ pending: 1 });
  });

  test('after a pause the first try goes out: it was made before it', async () => {
    const id = await running(2);
    await at.work('campaigns.feed', id);
    await at.move(id, 'pause');
    at.provider.next('accepted');
    await tryFirst(id);
    expect(await at.counts(id)).toEqual({ sent: 2 });
  });
});
