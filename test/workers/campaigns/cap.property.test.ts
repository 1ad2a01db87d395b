import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type CampaignRuns, openCampaignRuns } from '../../support/campaign-runs.ts';
import { assertClean, assertEnded } from '../../support/campaign-seen.ts';
import { fc, numRuns } from '../../support/fast-check.ts';
import { campaignRows, recipientRows } from '../../support/work/campaigns.ts';
import { messageRows } from '../../support/work/messages.ts';
import { organizationRows } from '../../support/work/organizations.ts';

/** Two campaigns at once to the same people, who may get one message in a week. */
let at: CampaignRuns;
const sent: string[] = [];
beforeAll(async () => {
  at = await openCampaignRuns(({ phone }) => sent.push(phone));
  await organizationRows.change(at, at.organization, { frequency_cap: { max: 1, days: 7 } });
});
afterAll(() => at.close());

async function twoTo(contactIds: string[], share: number): Promise<[string, string]> {
  const channel = await at.channel(share);
  const made = async () => {
    const id = await at.campaign({ channels: [channel.id], audience: { contact_ids: contactIds } });
    await campaignRows.change(at, id, { prepared: { source: 2, after: null, is_done: true, made: 0 } });
    await at.recipients(id, channel.id, contactIds);
    await at.startFeed(id);
    return id;
  };
  return [await made(), await made()];
}

type Step = { do: 'feed' | 'send' | 'pause' | 'resume'; of: number; cut: number } | { do: 'feed both' };
const of = fc.nat({ max: 1 });
const cut = fc.oneof({ weight: 2, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.integer({ min: 1, max: 20 }) });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constantFrom('feed' as const, 'send' as const), of, cut }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('pause' as const, 'resume' as const), of, cut }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('feed both' as const) }) },
);

async function take(campaigns: string[], given: Step): Promise<void> {
  if (given.do === 'feed both') {
    await Promise.all(campaigns.map((id) => at.work('campaigns.feed', id)));
    return;
  }
  const id = campaigns[given.of]!;
  const works = { feed: 'campaigns.feed', send: 'messages.send' } as const;
  const work = async () => {
    if (given.do === 'pause' || given.do === 'resume') await at.move(id, given.do);
    else await at.work(works[given.do], id);
  };
  const { isCut, error } = await at.cuts.during(given.cut === 0 ? undefined : { at: given.cut, dies: true }, work);
  if (error && !isCut && (error as { code?: string }).code !== 'conflict') throw error;
}

test('with crashes and pauses each person gets one message', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 25 }), async (steps) => {
      sent.length = 0;
      const people = await at.people({ count: 6 });
      const campaigns = await twoTo(people, 6);
      for (const given of steps) await take(campaigns, given);
      for (const id of campaigns) await at.toEnd(id);
      for (const id of campaigns) await assertEnded(at, id);
      await assertClean(at);
      const ofBoth = { campaign_id: { $in: campaigns } };
      const reached = await recipientRows.all(at, { ...ofBoth, status: 'sent' }, ['contact_id'], { contact_id: 'asc' });
      expect(reached.map(({ contact_id }) => contact_id)).toEqual(people.toSorted());
      expect(await recipientRows.count(at, { ...ofBoth, reason: 'frequency_cap' })).toBe(people.length);
    }),
    { numRuns: numRuns({ default: 1, deep: 10 }) },
  );
});

test('each of many people gets one message', async () => {
  const count = numRuns({ default: 100, deep: 1_000 });
  const people = await at.people({ count });
  const campaigns = await twoTo(people, count);
  const counts = () => Promise.all(campaigns.map((id) => at.counts(id)));
  for (let run = 0; run < 20 && (await counts()).some(({ pending }) => pending); run += 1)
    await Promise.all(campaigns.map((id) => at.work('campaigns.feed', id)));
  const [one, two] = await counts();
  expect((one!.queued ?? 0) + (two!.queued ?? 0)).toBe(count);
  expect((one!['skipped: frequency_cap'] ?? 0) + (two!['skipped: frequency_cap'] ?? 0)).toBe(count);
  const messages = await messageRows.all(at, { campaign_id: { $in: campaigns } }, ['contact_id']);
  expect(new Set(messages.map(({ contact_id }) => contact_id)).size).toBe(count);
});
