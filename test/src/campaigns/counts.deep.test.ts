import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { countsOf, countsOfPage } from '../../../src/campaigns/counts.ts';
import { completeCampaign } from '../../../src/campaigns/feed/end.ts';
import { campaignLane } from '../../../src/campaigns/jobs.ts';
import { CampaignRecipient } from '../../../src/campaigns/recipient.entity.ts';
import { statsOf } from '../../../src/campaigns/stats.ts';
import { ownRows } from '../../../src/platform/database/own.ts';
import { AppError } from '../../../src/platform/errors.ts';
import { transactFor } from '../../../src/platform/ledger/tenant.ts';
import { peopleOf } from '../../support/campaign-people.ts';
import { channel } from '../../support/factories/channel.ts';
import { type House, openHouse } from '../../support/house.ts';
import { setCampaign, setRecipients, storedCampaign, storeRecipients } from '../../support/rules/campaigns.ts';
import { inMs } from '../../support/rules/clock.ts';
import { eventsOf } from '../../support/rules/events.ts';

let house: House;
let channelId: string;
beforeAll(async () => {
  house = await openHouse();
  channelId = (await channel(house.em(), house.organizationId)).id;
});
afterAll(() => house.close());

const own = () => ownRows(house.database, house.organizationId);
const insert = (campaignId: string, count: number, more: object | ((number: number) => object) = {}) =>
  storeRecipients(house.em(), house.organizationId, { campaignId, channelId }, count, more);
const none = { total: 0, pending: 0, queued: 0, sent: 0, delivered: 0, read: 0, failed: 0, skipped: 0 };

test('of a campaign with nobody there are zeros', async () => {
  const id = await peopleOf(house).running();
  expect(await countsOf(own(), { id })).toEqual({ counts: none, in_flight: 0, as_of: expect.any(String) });
  expect(await statsOf(own(), id)).toMatchObject({ counts: none, replied: 0, skipped: {}, failed: {}, variants: [], hours: [] });
});

test('statistics by reason, code, variant and hour', async () => {
  const id = await peopleOf(house).running();
  const at = '2026-11-21T10:20:00Z';
  await insert(id, 3, (number) => ({ status: 'read', variant_id: 'a', sent_at: at, replied_at: number === 1 ? at : null }));
  await insert(id, 2, { status: 'sent', variant_id: 'b', sent_at: at, opted_out_at: at });
  await insert(id, 1, { status: 'failed', variant_id: 'b', failed_at: '2026-11-21T11:59:59Z', failure_code: '131026' });
  await insert(id, 4, { status: 'skipped', variant_id: 'a', reason: 'suppressed' });
  const { as_of, ...stats } = await statsOf(own(), id);
  expect(stats).toEqual({
    counts: { ...none, total: 10, read: 3, sent: 2, failed: 1, skipped: 4 },
    ...{ replied: 1, clicked: 0, opted_out: 2 },
    skipped: { suppressed: 4 },
    failed: { 131026: 1 },
    variants: [
      { variant_id: 'a', counts: { ...none, total: 7, read: 3, skipped: 4 }, replied: 1, clicked: 0, opted_out: 0 },
      { variant_id: 'b', counts: { ...none, total: 3, sent: 2, failed: 1 }, replied: 0, clicked: 0, opted_out: 2 },
    ],
    hours: [
      { hour: '2026-11-21T10:00:00.000Z', sent: 5, failed: 0 },
      { hour: '2026-11-21T11:00:00.000Z', sent: 0, failed: 1 },
    ],
  });
});

test('above 50,000 recipients a count of a moment ago is shown, and one reader counts again', async () => {
  const id = await peopleOf(house).running();
  await insert(id, 50_001);
  const first = await countsOf(own(), { id });
  const firstStats = await statsOf(own(), id);
  expect(first.counts).toEqual({ ...none, total: 50_001, pending: 50_001 });
  await insert(id, 1, { status: 'queued' });
  expect(await countsOf(own(), { id })).toEqual(first);
  expect(await statsOf(own(), id)).toEqual(firstStats);
  await setCampaign(house.em(), id, { counts_due_at: inMs(0), figures_due_at: inMs(0) });
  const several = await Promise.all(Array.from({ length: 5 }, () => countsOf(own(), { id })));
  // Whoever asks while it is counted sees the old count, whoever asks later the new one.
  const anew = several.filter(({ counts }) => counts.queued === 1);
  expect(new Set(anew.map(({ as_of }) => as_of)).size).toBe(1);
  expect((await statsOf(own(), id)).counts.queued).toBe(1);
  expect((await countsOf(own(), { id })).counts).toMatchObject({ total: 50_002, queued: 1 });
});

/** What is asked of the database, and how often a place was taken. */
function watched() {
  const [texts, places]: [string[], string[]] = [[], []];
  const of = Object.assign(Object.create(own()), {
    sql(text: string, params: unknown[]) {
      texts.push(text);
      return own().sql(text, params);
    },
  });
  const reads = {
    resting<Result>(organizationId: string, work: () => Promise<Result>) {
      places.push(organizationId);
      return work();
    },
  };
  // Few are counted by the look, which counts none of these.
  return { own: of, reads, places, counts: () => texts.filter((text) => text.trimStart().startsWith('select (')).length };
}

test('of many who ask at once for the statistics of many, few count, in places that rest', async () => {
  const id = await peopleOf(house).running();
  await insert(id, 5_001);
  const seen = watched();
  const found = await Promise.all(Array.from({ length: 20 }, () => statsOf(seen.own, id, seen.reads)));
  expect(new Set(found.map(({ counts }) => counts.total))).toEqual(new Set([5_001]));
  expect(seen.counts()).toBeGreaterThan(0);
  // Two, and one more for each whose read was over only after the second had begun: on a busy machine several.
  expect(seen.counts()).toBeLessThan(10);
  expect(seen.places).toEqual(Array.from({ length: seen.counts() }, () => house.organizationId));
  const one = await house.em().findOneOrFail(CampaignRecipient, { campaign_id: id });
  await house.em().nativeDelete(CampaignRecipient, { id: one.id });
  const before = seen.places.length;
  expect((await statsOf(seen.own, id, seen.reads)).counts.total).toBe(5_000);
  expect(seen.places).toHaveLength(before);
});

test('what the first of many has counted and kept the others are shown, also where there is no place to count again', async () => {
  const id = await peopleOf(house).running();
  await insert(id, 50_001);
  const seen = watched();
  const found = await Promise.all(Array.from({ length: 10 }, () => statsOf(seen.own, id, seen.reads)));
  expect(new Set(found.map(({ counts }) => counts.total))).toEqual(new Set([50_001]));
  expect(seen.counts()).toBe(1);
  expect(seen.places).toHaveLength(1);
  await setCampaign(house.em(), id, { figures_due_at: inMs(0) });
  const again = await Promise.all(Array.from({ length: 10 }, () => statsOf(seen.own, id, seen.reads)));
  expect(new Set(again.map(({ as_of }) => as_of)).size).toBeLessThanOrEqual(2);
  expect(seen.counts()).toBe(2);
  expect(seen.places).toHaveLength(2);
  await setCampaign(house.em(), id, { figures_due_at: inMs(0) });
  const full = { resting: () => Promise.reject(new AppError('unavailable', 'full')) };
  expect(await statsOf(seen.own, id, full)).toEqual(await statsOf(seen.own, id, seen.reads));
  expect(seen.counts()).toBe(2);
});

test('the event of its end tells what it came to, however many they are', async () => {
  const id = await peopleOf(house).running();
  await insert(id, 50_001, { status: 'queued' });
  await countsOf(own(), { id });
  await setRecipients(house.em(), { campaign_id: id }, { status: 'sent' });
  await transactFor(house.ledger.transact, house.organizationId)({ locks: [campaignLane(id)] }, ({ own: tx }) =>
    completeCampaign(tx, id),
  );
  const [event] = await eventsOf(house.em(), id, 'campaign.completed');
  expect(event!.data).toMatchObject({ counts: { total: 50_001, sent: 50_001, failed: 0 } });
  expect((await countsOf(own(), { id })).counts).toMatchObject({ sent: 50_001, queued: 0 });
});

test('a page of campaigns is counted by one statement, each as by itself; of many recipients the count is kept', async () => {
  const ids = [];
  for (let count = 0; count < 6; count += 1) {
    const id = await peopleOf(house).running();
    await insert(id, count, { status: 'sent' });
    ids.push(id);
  }
  const [few, frozen, many] = [ids[3]!, ids[4]!, ids[5]!];
  await setCampaign(house.em(), frozen, { counts: { read: 7 }, counted_at: inMs(0), frozen_at: inMs(0) });
  const statements: string[] = [];
  const counting = Object.assign(Object.create(own()), {
    sql(text: string, params: unknown[]) {
      statements.push(text);
      return own().sql(text, params);
    },
  });
  const page = await countsOfPage(counting, ids);
  expect(statements).toHaveLength(1);
  expect([...page.keys()].sort()).toEqual([...ids].sort());
  for (const id of ids) expect(page.get(id)!.counts).toEqual((await countsOf(own(), { id })).counts);
  expect(page.get(few)!.counts).toMatchObject({ total: 3, sent: 3 });
  expect(page.get(frozen)!.counts).toMatchObject({ total: 7, read: 7 });
  await insert(many, 50_001, { status: 'queued' });
  expect((await countsOfPage(own(), ids)).get(many)).toMatchObject({ counts: { total: 50_006 }, in_flight: 50_001 });
  const { counts } = await storedCampaign(house.em(), many);
  expect(counts).toEqual({ queued: 50_001, sent: 5 });
  expect((await countsOfPage(own(), ids)).get(many)!.counts.total).toBe(50_006);
});

test('of another organization and of a deleted campaign: 404', async () => {
  const id = await peopleOf(house).running();
  await setCampaign(house.em(), id, { deleted_at: inMs(0) });
  await expect(statsOf(own(), id)).rejects.toMatchObject({ code: 'not_found' });
});
