import { setImmediate as immediate } from 'node:timers/promises';
import { askFor, type BatchDeps, feedBatch, type Looked } from './batch.ts';
import { type Due, lookForDue, maxLook } from './look.ts';
import { maxBatch, planOf } from './plan.ts';
import { roomOf, type Turn } from './turns.ts';

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
      if (!(await feedGroup(deps, group))) return false;
      if (!isFirst && performance.now() > endsAt) return true;
    }
    isFirst = false;
  }
  return true;
}

type Asked = { turn: Turn; limit: number };

/** As many channels as one look can read for. */
function groupsOf(turns: Turn[], isFirst: boolean): Asked[][] {
  const groups: Asked[][] = [];
  let read = maxLook;
  for (const turn of turns) {
    const room = roomOf(turn);
    // Who was read first and was skipped may be the first of many.
    const more = isFirst ? Math.min(someMore, 1 + Math.ceil(room / 2)) : maxBatch;
    const limit = Math.min(maxLook, room + more);
    if (read + limit > maxLook) {
      groups.push([]);
      read = 0;
    }
    groups.at(-1)!.push({ turn, limit });
    read += limit;
  }
  return groups;
}

async function feedGroup(deps: BatchDeps, group: Asked[]): Promise<boolean> {
  const limits = new Map(group.map(({ turn, limit }) => [turn.channel.id, limit]));
  const due = await lookForDue(deps.own, askFor(deps, limits));
  if (!due.isRunning) return false;
  const found = Map.groupBy(due.rows, (row) => row.channel_id);
  for (const { turn, limit } of group) turn.hasMore = found.get(turn.channel.id)?.length === limit;
  const isRunning = await feedDue(
    deps,
    due,
    group.map(({ turn }) => turn),
  );
  for (const { turn } of group) turn.hasMore ||= turn.isCut;
  return isRunning;
}

/** The next batch is made ready while the one before is written. */
async function feedDue(deps: BatchDeps, { rows, ...known }: Due, turns: Turn[]): Promise<boolean> {
  const left = [...rows];
  const byChannel = new Map(turns.map((turn) => [turn.channel.id, turn]));
  const channels = turns.map(({ channel }) => channel);
  const next = async (): Promise<Looked> => ({ plan: await planOf(left, byChannel, deps), channels, ...known });
  let looked = await next();
  while (looked.plan.sends.length + looked.plan.skips.length > 0) {
    const writing = feedBatch(deps, looked);
    // Handled here already, where the plan of the next one throws first.
    writing.catch(() => {});
    // It is on its way to the database before the next one is made ready.
    await immediate();
    looked = await next();
    if (!(await writing)) return false;
  }
  return true;
}
