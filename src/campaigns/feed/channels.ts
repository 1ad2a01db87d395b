import { setImmediate as immediate } from 'node:timers/promises';
import { timeShares } from '../../platform/load/time-shares.ts';
import { askFor, type BatchDeps, feedBatch, type Looked } from './batch.ts';
import { type Due, lookForDue, maxLook } from './look.ts';
import { maxBatch, planOf } from './plan.ts';
import { roomOf, type Turn } from './turns.ts';

/** Who was due then is written to: the hours in which nobody is may have begun since. */
const maxAgeMs = 2_000;

/** Some more than there is room for: that there are others is told by them. */
const someMore = 10;

/**
 * Batches for the channels, over all of them together: twenty slow ones cost what a fast one does. As far as there is room and time, but each
 * channel once: with the first ones filled anew in each run, the last ones would never be. Who is skipped takes no room. False: the campaign or
 * the run is over.
 */
export async function feedChannels(deps: BatchDeps, turns: Turn[], endsAt: number): Promise<boolean> {
  let isFirst = true;
  for (let open = turns; open.length > 0; open = open.filter(({ hasMore, isCut }) => hasMore && !isCut)) {
    for (const group of groupsOf(open, isFirst)) {
      if (!(await feedGroup(deps, group, isFirst))) return false;
      if (!isFirst && performance.now() > endsAt) return true;
    }
    isFirst = false;
  }
  return true;
}

/** As many channels as one look can read for. */
function groupsOf(turns: Turn[], isFirst: boolean): Turn[][] {
  const groups: Turn[][] = [];
  let read = maxLook;
  for (const turn of turns) {
    const limit = limitOf(turn, isFirst);
    if (read + limit > maxLook) {
      groups.push([]);
      read = 0;
    }
    groups.at(-1)!.push(turn);
    read += limit;
  }
  return groups;
}

function limitOf(turn: Turn, isFirst: boolean): number {
  const room = roomOf(turn);
  // Who was read first and was skipped may be the first of many.
  const more = isFirst ? Math.min(someMore, 1 + Math.ceil(room / 2)) : maxBatch;
  return Math.min(maxLook, room + more);
}

async function feedGroup(deps: BatchDeps, group: Turn[], isFirst: boolean): Promise<boolean> {
  for (;;) {
    await timeShares.rest(deps.own.organizationId);
    const limits = new Map(group.map((turn) => [turn.channel.id, limitOf(turn, isFirst)]));
    const due = await lookForDue(deps.own, askFor(deps, limits));
    if (!due.isRunning) return false;
    const found = Map.groupBy(due.rows, (row) => row.channel_id);
    for (const turn of group) turn.hasMore = found.get(turn.channel.id)?.length === limits.get(turn.channel.id);
    const fed = await feedDue(deps, due, group);
    for (const turn of group) turn.hasMore ||= turn.isCut;
    if (fed !== 'old') return fed === 'done';
  }
}

/** The next batch is made ready while the one before is written. What is left when the look has become old is looked for again. */
async function feedDue(deps: BatchDeps, { rows, ...known }: Due, turns: Turn[]): Promise<'over' | 'old' | 'done'> {
  const left = [...rows];
  const byChannel = new Map(turns.map((turn) => [turn.channel.id, turn]));
  const channels = turns.map(({ channel }) => channel);
  const lookedAt = performance.now();
  const next = async (): Promise<Looked> => ({ plan: await planOf(left, byChannel, deps), channels, ...known });
  let looked = await next();
  while (looked.plan.sends.length + looked.plan.skips.length > 0) {
    const writing = feedBatch(deps, looked);
    // Handled here already, where the plan of the next one throws first.
    writing.catch(() => {});
    // It is on its way to the database before the next one is made ready.
    await immediate();
    await timeShares.rest(deps.own.organizationId);
    const isOld = left.length > 0 && performance.now() - lookedAt > maxAgeMs;
    if (!isOld) looked = await next();
    if (!(await writing)) return 'over';
    if (isOld) return 'old';
  }
  return 'done';
}
