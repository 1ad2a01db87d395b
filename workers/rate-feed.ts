import { askDueRates, maxDue } from '../src/money/due-rates.ts';
import type { WorkerDeps } from './handler.ts';
import { startRepeating } from './repeating.ts';

const everyMs = 60_000;
/** While more are due. */
const soonMs = 1_000;

/** Asks for the daily rates of the organizations that are due, some at a time: the work itself is jobs. */
export function startRateFeed(deps: WorkerDeps, everyAboutMs = everyMs): { stop(): Promise<void> } {
  let isMore = false;
  async function look() {
    isMore = (await askDueRates(deps.ledger.transact)) >= maxDue;
  }
  const work = () => look().catch((error) => deps.log.warn({ err: error }, 'exchange rates were not asked for'));
  return startRepeating(work, () => (isMore ? soonMs : everyAboutMs) * (0.5 + Math.random()));
}
