import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { uuidv7 } from '../../../src/platform/ids.ts';
import { type CampaignRuns, type Mover, openCampaignRuns, type Work } from '../../support/campaign-runs.ts';
import { assertClean, assertEnded, assertSound } from '../../support/campaign-seen.ts';
import type { Cut } from '../../support/cut-connections.ts';
import type { ChannelMade } from '../../support/factories/channel.ts';
import { waitFor } from '../../support/wait-for.ts';
import { segmentOf } from '../../support/work/contacts.ts';

/** A process that dies, or loses its connection, at each statement of what it does with a campaign. */
let at: CampaignRuns;
let channels: ChannelMade[];
let people: string[];
const sent: string[] = [];

beforeAll(async () => {
  at = await openCampaignRuns(({ phone }) => sent.push(phone));
  channels = [await at.channel(2), await at.channel(2)];
  people = await at.people({ count: 4 });
});
beforeEach(() => {
  sent.length = 0;
});
afterAll(() => at.close());

/** Two segments that share people, and one who was added by hand and is in both. */
async function draft(): Promise<string> {
  const segments = [people.slice(0, 3), people.slice(1)].map((members) => ({ id: uuidv7(), members }));
  for (const { id, members } of segments) {
    await segmentOf(at, at.organization, id, members);
  }
  const audience = { segment_ids: segments.map(({ id }) => id) };
  const id = await at.campaign({ status: 'draft', phase: null, channels: channels.map((one) => one.id), audience });
  await at.recipients(id, channels[0]!.id, people.slice(1, 2));
  return id;
}

type Step = Mover | Work;
/** Steps that lead there, and the one that is cut. */
const ways: Record<string, [...Step[], Step]> = {
  prepare: ['start', 'campaigns.prepare'],
  feed: ['start', 'campaigns.prepare', 'campaigns.feed'],
  'a pause while it is prepared': ['start', 'pause'],
  'a pause': ['start', 'campaigns.prepare', 'campaigns.feed', 'pause'],
  'a resume': ['start', 'campaigns.prepare', 'campaigns.feed', 'pause', 'resume'],
  'a cancel while it is prepared': ['start', 'cancel'],
  'a cancel': ['start', 'campaigns.prepare', 'campaigns.feed', 'messages.send', 'cancel'],
  'the withdrawal of a cancelled one': ['start', 'campaigns.prepare', 'campaigns.feed', 'cancel', 'campaigns.withdraw'],
};
const isWork = (step: Step): step is Work => step.includes('.');

/** The step, once its job is there: a fill may be on its way to it. */
async function ready(id: string, step: Step): Promise<() => Promise<unknown>> {
  if (!isWork(step)) return () => at.move(id, step);
  const row = await waitFor(step, async () => (await at.queued(step, id))[0]);
  return () => at.run(step, row);
}

async function cutAt(way: Step[], cut: Cut): Promise<boolean> {
  sent.length = 0;
  const id = await draft();
  for (const step of way.slice(0, -1)) await (await ready(id, step))();
  const { isCut, error } = await at.cuts.during(cut, await ready(id, way.at(-1)!));
  if (error && !isCut) throw error;
  await assertSound(at, id);
  if (way.includes('cancel')) {
    await at.move(id, 'cancel');
    const before = sent.length;
    await at.toEnd(id);
    expect(sent).toHaveLength(before);
    expect(await at.statusOf(id)).toMatchObject({ status: 'cancelled' });
  } else {
    await at.toEnd(id);
    expect(await at.statusOf(id)).toMatchObject({ status: 'completed' });
    expect(new Set(sent).size).toBe(people.length);
    expect(await at.counts(id)).toEqual({ sent: people.length });
  }
  expect(sent).toHaveLength(new Set(sent).size);
  await assertEnded(at, id);
  return isCut;
}

const maxTrips = 80;
/** What a job does again by itself once the connection is back; a request does not. */
const faults = (way: Step[]) => [true, ...(isWork(way.at(-1)!) ? [false] : [])];

test.each(Object.entries(ways))('%s, cut off after each statement: each person once', async (_, way) => {
  for (const dies of faults(way)) {
    let trip = 1;
    while (await cutAt(way, { dies, at: trip })) trip += 1;
    await assertClean(at);
    expect(trip).toBeGreaterThan(5);
    expect(trip).toBeLessThan(maxTrips);
  }
});
