import type { Own } from '../../platform/database/own.ts';
import type { TenantTransact } from '../../platform/ledger/tenant.ts';
import type { RunRef } from '../../platform/ledger/tx.ts';
import type { createContentCache } from '../content/cache.ts';
import type { Compiled } from '../content/compile.ts';
import { troubleOf } from '../guards/guards.ts';
import { skipPending } from '../skip-pending.ts';
import type { CampaignReason } from '../states.ts';
import { feedChannel } from './channel.ts';
import { dailyLimitOf, leftToday } from './daily-limit.ts';
import { type Left, nextDueMs, readLeft } from './left.ts';
import { type Allowance, allowanceOf } from './paced.ts';
import { laterLeft, type Room, readRooms } from './rooms.ts';
import { type FeedState, readState } from './state.ts';
import { placeStrays } from './strays.ts';
import { type FeedTemplates, readTemplates } from './templates.ts';
import { zonesAt } from './zones.ts';

/** A run makes place for other jobs after this time, and goes on in its next run. */
const turnMs = 2_000;
const leastWaitMs = 100;
/** While messages are on their way: their results may raise an alarm, or end the campaign. */
const settlingMs = 1_000;
/** While a channel has no room, as for the rest of a day: others may be due, and zones open or end meanwhile. */
const maxRoomWaitMs = 60_000;

export type Next =
  | { kind: 'over' }
  | { kind: 'pause'; reason: CampaignReason }
  | { kind: 'complete' }
  | { kind: 'wait'; ms: number; phase: 'sending' | 'settling' };

export type FeedDeps = {
  own: Own;
  transact: TenantTransact;
  /** The run: once another one feeds, it does not. */
  job: RunRef;
  contents: ReturnType<typeof createContentCache>;
};

/** One run: gives each channel what it has room for, and says what comes next. */
export async function feedCampaign(deps: FeedDeps, id: string): Promise<Next> {
  const state = await readState(deps.own, id);
  if (!state) return { kind: 'over' };
  const { campaign, schedule, now } = state;
  const rooms = await readRooms(deps.own, id);
  const templates = await readTemplates(deps.own, campaign.channel_ids, campaign.variants);
  const content = deps.contents.contentOf(campaign.id, campaign.revision, campaign.variants);
  const reason = await troubleOf(deps.own, campaign, rooms, templates, content);
  if (reason) {
    const left = await readLeft(deps.own, id);
    // With nobody left to write to, it is too late to stop: it could not be resumed, and only be cancelled.
    return left.has_pending ? { kind: 'pause', reason } : afterLast(left);
  }
  const { open, over } = zonesAt(schedule, campaign.zones, now);
  const endsAt = performance.now() + turnMs;
  if (over.length > 0)
    while (await skipPending({ ...deps, campaignId: id, reason: 'expired', zones: over }))
      if (performance.now() > endsAt) return { kind: 'wait', ms: 0, phase: 'sending' };
  const waits = await feedChannels({ ...deps, content }, state, rooms, templates, open, endsAt);
  if (waits === 'stopped') return { kind: 'wait', ms: 0, phase: 'sending' };
  const left = await readLeft(deps.own, id);
  if (!left.has_pending) return afterLast(left);
  const dueMs = waits.length > 0 ? Math.min(...waits, maxRoomWaitMs) : await nextDueMs(deps.own, state);
  if (dueMs === undefined) {
    const arePlaced = await placeStrays(deps.own, deps.transact, campaign);
    return { kind: 'wait', ms: arePlaced ? 0 : settlingMs, phase: 'sending' };
  }
  const ms = Math.max(leastWaitMs, left.has_queued ? Math.min(dueMs, 5 * settlingMs) : dueMs);
  return { kind: 'wait', ms, phase: 'sending' };
}

/** What is made goes out, whatever became of the campaign's content since. */
const afterLast = ({ has_queued }: Left): Next =>
  has_queued ? { kind: 'wait', ms: settlingMs, phase: 'settling' } : { kind: 'complete' };

/** For each channel with somebody who is due and has no room: how long until there is some. */
async function feedChannels(
  deps: FeedDeps & { content: Compiled },
  state: FeedState,
  rooms: Room[],
  templates: FeedTemplates,
  zones: string[],
  endsAt: number,
): Promise<number[] | 'stopped'> {
  const { campaign, settings } = state;
  if (zones.length === 0) return [];
  const waits: number[] = [];
  for (const channel of rooms) {
    const later = { left: laterLeft(channel), waitMs: settlingMs };
    const bounds = [later, await allowanceOf(deps.own, campaign), await todayOf(deps.own, channel)];
    const free = Math.max(0, channel.share - channel.unclaimed);
    const room = Math.min(free, ...bounds.map(({ left }) => left));
    const batch = { ...deps, campaign, templates, channel, zones, cap: settings.frequency_cap };
    const { made, hasMore, isRunning } = await feedChannel(batch, room, endsAt);
    if (!isRunning) return 'stopped';
    if (hasMore) waits.push(made < room ? 0 : waitOf(channel, made, free, bounds));
  }
  return waits;
}

async function todayOf(own: Own, { account_id, messaging_limit }: Room): Promise<Allowance> {
  const limit = dailyLimitOf(messaging_limit);
  return limit === undefined ? { left: Number.POSITIVE_INFINITY, waitMs: 0 } : leftToday(own, account_id, limit);
}

/** Until half of the share is gone, or until what else bounds it lets one more through. */
function waitOf({ share, share_rate, unclaimed }: Room, made: number, free: number, bounds: Allowance[]): number {
  const halfMs = ((unclaimed + made - share / 2) / share_rate) * 1_000;
  const narrower = bounds.filter(({ left }) => left <= made && left < free).map(({ waitMs }) => waitMs);
  return Math.max(halfMs, leastWaitMs, ...narrower);
}
