import { askDueChecks, maxDue } from '../src/connections/due-checks.ts';
import type { WorkerDeps } from './handler.ts';
import { startRepeating } from './repeating.ts';

const everyMs = 60_000;
/** While more are due. */
const soonMs = 2_000;

/** Asks for the daily checks of connections that are due, some at a time: the work itself is jobs. */
export function startConnectionChecks(deps: WorkerDeps, everyAboutMs = everyMs): { stop(): Promise<void> } {
  let isMore = false;
  async function look() {
    isMore = (await askDueChecks(deps.ledger.transact)) >= maxDue;
  }
  const work = () => look().catch((error) => deps.log.warn({ err: error }, 'connections were not looked at'));
  return startRepeating(work, () => (isMore ? soonMs : everyAboutMs) * (0.5 + Math.random()));
}
