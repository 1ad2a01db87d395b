import { askDueChecks, maxDue } from '../src/channels/due-checks.ts';
import type { WorkerDeps } from './handler.ts';
import { startRepeating } from './repeating.ts';

const everyMs = 30_000;
/** While more are due. */
const soonMs = 2_000;

/** Asks for the checks of channels that are due, some at a time: the work itself is jobs. */
export function startChannelChecks(deps: WorkerDeps, everyAboutMs = everyMs): { stop(): Promise<void> } {
  let isMore = false;
  async function look() {
    isMore = (await askDueChecks(deps.ledger.transact, deps.config.channelCheckSeconds)) >= maxDue;
  }
  const work = () => look().catch((error) => deps.log.warn({ err: error }, 'channels were not looked at'));
  return startRepeating(work, () => (isMore ? soonMs : everyAboutMs) * (0.5 + Math.random()));
}
