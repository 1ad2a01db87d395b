import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type CampaignRuns, openCampaignRuns } from '../../support/campaign-runs.ts';
import { assertClean, assertEnded } from '../../support/campaign-seen.ts';
import { templateRows } from '../../support/work/channels.ts';

/** The provider pauses the template while a campaign is under way. */
let at: CampaignRuns;
const taken: string[] = [];
const total = 2_000;
const pausedAt = 300;
beforeAll(async () => {
  at = await openCampaignRuns(({ phone, isTaken }) => {
    if (isTaken) taken.push(phone);
    // From the next one on.
    if (taken.length === pausedAt) queueMicrotask(() => at.provider.next(132015));
  });
});
afterAll(() => at.close());

const atOnce = 10;
async function sendAll(id: string): Promise<number> {
  const rows = await at.queued('messages.send', id);
  for (let from = 0; from < rows.length; from += atOnce)
    await Promise.all(rows.slice(from, from + atOnce).map((row) => at.run('messages.send', row)));
  return rows.length;
}

/** Feeds and sends until nothing of it is due any more. */
async function goOn(id: string): Promise<void> {
  for (let idle = 0; idle < 2; ) {
    await at.passTime(id);
    const isFed = await at.work('campaigns.feed', id);
    idle = (await sendAll(id)) > 0 || isFed ? 0 : idle + 1;
  }
}

test('at recipient 300 of 2,000: those it refused wait again, and a resume writes to all of them once', async () => {
  const channel = await at.channel(200);
  const id = await at.campaign({ status: 'draft', phase: null, channels: [channel.id] });
  await at.recipients(id, channel.id, await at.people({ count: total }));
  await at.move(id, 'start');
  // A busy machine needs more than one run.
  while (await at.work('campaigns.prepare', id));
  await goOn(id);
  expect(await at.statusOf(id)).toEqual({ status: 'paused', phase: 'sending', reason: 'template_paused' });
  const { sent, pending, ...others } = await at.counts(id);
  expect(others).toEqual({});
  // Those that were with the provider at that moment may have been taken.
  expect(sent).toBeGreaterThanOrEqual(pausedAt);
  expect(sent).toBeLessThan(pausedAt + atOnce);
  expect(pending).toBe(total - sent!);
  await templateRows.change(at, { channel_id: channel.id }, { status: 'approved' });
  at.provider.next('accepted');
  await at.move(id, 'resume');
  await goOn(id);
  expect(await at.statusOf(id)).toMatchObject({ status: 'completed' });
  expect(await at.counts(id)).toEqual({ sent: total });
  expect([taken.length, new Set(taken).size]).toEqual([total, total]);
  await assertEnded(at, id);
  await assertClean(at);
});
