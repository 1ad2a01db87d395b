import type { Own } from '../../platform/database/own.ts';
import type { TenantTransact } from '../../platform/ledger/tenant.ts';
import type { RunRef } from '../../platform/ledger/tx.ts';
import type { CampaignRow } from '../campaign-row.ts';
import type { createContentCache } from '../content/cache.ts';
import { troubleOf } from '../guards/guards.ts';
import { skipPending } from '../skip-pending.ts';
import type { CampaignReason } from '../states.ts';
import { feedChannels } from './channels.ts';
import { dailyLimitOf, leftToday } from './daily-limit.ts';
import { type Left, nextDueMs, readLeft } from './left.ts';
import { allowanceOf } from './paced.ts';
import { laterLeft, type Room, readRooms } from './rooms.ts';
import { readState } from './state.ts';
import { placeStrays } from './strays.ts';
import { readTemplates } from './templates.ts';
import { type Budget, newTurn, type Turn, unbounded, waitOf } from './turns.ts';
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
  const turns = open.length > 0 ? await turnsOf(deps.own, campaign, rooms) : [];
  const { frequency_cap: cap, timezone } = state.settings;
  const batches = { ...deps, content, campaign, templates, zones: open, cap, timezone };
  if (!(await feedChannels(batches, turns, endsAt))) return { kind: 'wait', ms: 0, phase: 'sending' };
  const waits = turns.filter(({ hasMore }) => hasMore).map(waitOf);
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

async function turnsOf(own: Own, campaign: CampaignRow, rooms: Room[]): Promise<Turn[]> {
  const pace = await allowanceOf(own, campaign);
  const accounts = new Map<string, Map<number, Budget>>();
  for (const [accountId, channels] of Map.groupBy(rooms, ({ account_id }) => account_id))
    accounts.set(accountId, await todaysOf(own, accountId, channels));
  return rooms.map((channel) => {
    const free = { left: channel.share - channel.unclaimed, waitMs: 0 };
    const later = { left: laterLeft(channel), waitMs: settlingMs };
    const todays = accounts.get(channel.account_id)!;
    // Its channels may tell different limits, as one was asked before a change. What one tells holds for it, and for those that tell none.
    const limit = dailyLimitOf(channel.messaging_limit) ?? Math.min(...todays.keys());
    const today = todays.get(limit) ?? unbounded();
    const others = [...todays.values()].filter((budget) => budget !== today);
    // Where the share allows no more than it, only the share is waited for.
    return newTurn(channel, [free, ...(later.left < free.left ? [later] : []), today, pace], others);
  });
}

/** What is left today of each limit that channels of the account tell. Copies: what was counted is kept for other runs. */
async function todaysOf(own: Own, accountId: string, channels: Room[]): Promise<Map<number, Budget>> {
  const todays = new Map<number, Budget>();
  for (const { messaging_limit } of channels) {
    const limit = dailyLimitOf(messaging_limit);
    if (limit !== undefined && !todays.has(limit)) todays.set(limit, { ...(await leftToday(own, accountId, limit)) });
  }
  return todays;
}
