import { askDueCopies } from '../src/commerce/bookings/due-copies.ts';
import type { WorkerDeps } from './handler.ts';
import { startRepeating } from './repeating.ts';

const everyMs = 60_000;
/** While there were some. */
const soonMs = 2_000;

/** Asks for the copies of busy times that are due, some at a time: the work itself is jobs. */
export function startBusyCopies(deps: WorkerDeps, everyAboutMs = everyMs): { stop(): Promise<void> } {
  let isMore = false;
  async function look() {
    isMore = (await askDueCopies(deps.ledger.transact)) > 0;
  }
  const work = () => look().catch((error) => deps.log.warn({ err: error }, 'busy times of calendars were not looked at'));
  return startRepeating(work, () => (isMore ? soonMs : everyAboutMs) * (0.5 + Math.random()));
}
