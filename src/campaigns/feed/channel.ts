import { setImmediate as immediate } from 'node:timers/promises';
import { askFor, type BatchDeps, feedBatch, type Looked, maxBatch } from './batch.ts';
import { type Due, lookForDue } from './look.ts';
import { planOf } from './plan.ts';

/** Recipients of one look: the next batch is made ready while the one before is written. */
const maxLook = 4 * maxBatch;
const someMore = 10;

/** `hasMore`: others are due, as far as is known. */
export type ChannelFed = { made: number; hasMore: boolean; isRunning: boolean };

/** Batches for a channel, one after the other, as far as there is room and time. Who is skipped takes no room. */
export async function feedChannel(deps: BatchDeps, room: number, endsAt: number): Promise<ChannelFed> {
  let made = 0;
  for (;;) {
    // Some more: that there are others is told by them.
    const limit = Math.min(maxLook, room - made + someMore);
    const due = await lookForDue(deps.own, askFor(deps, limit));
    const fed = await feedDue(deps, due, room - made);
    made += fed.made;
    const hasMore = fed.isCut || due.rows.length === limit;
    if (!fed.isRunning || !hasMore || fed.isCut || performance.now() > endsAt) return { made, hasMore, isRunning: fed.isRunning };
  }
}

type Portion = Looked & { isCut: boolean };

async function feedDue(deps: BatchDeps, due: Due, room: number) {
  let made = 0;
  let planned = 0;
  let isCut = false;
  const portions = Array.from({ length: Math.ceil(due.rows.length / maxBatch) }, (_, index) =>
    due.rows.slice(index * maxBatch, (index + 1) * maxBatch),
  );
  const next = async (): Promise<Portion | undefined> => {
    const rows = isCut || !due.isRunning ? undefined : portions.shift();
    if (!rows) return undefined;
    const plan = await planOf(rows, room - planned, deps);
    planned += plan.sends.length;
    isCut = plan.isCut;
    return { plan, isCut, isRunning: due.isRunning, isHeard: due.isHeard };
  };
  let portion = await next();
  while (portion) {
    const writing = feedBatch(deps, portion);
    // Handled here already, where the plan of the next one throws first.
    writing.catch(() => {});
    // It is on its way to the database before the next one is made ready.
    await immediate();
    portion = await next();
    const fed = await writing;
    made += fed.made;
    if (!fed.isRunning) return { made, isCut, isRunning: false };
  }
  return { made, isCut, isRunning: due.isRunning };
}
