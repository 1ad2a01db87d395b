import { Job, Pool } from '../../../src/platform/ledger/jobs.entity.ts';
import { type Database, storedRows } from './rows.ts';
import { now } from './times.ts';

export const storedJobs = storedRows(Job);
export const storedPools = storedRows(Pool);

/** No worker gets work of the pool until it is released. */
export const holdPool = (app: Database, id: string) => storedPools.change(app, id, { held_until: 'infinity' });
export const releasePool = (app: Database, id: string) => storedPools.change(app, id, { held_until: null });

/** `infinity`: until it is released; null: not held. */
export const heldUntil = async (app: Database, id: string): Promise<string | null> => (await storedPools.one(app, id)).held_until;
export async function isHeld(app: Database, id: string): Promise<boolean> {
  const until = await heldUntil(app, id);
  return until === 'infinity' || (until !== null && new Date(until) > new Date());
}
export const paceOf = (app: Database, id: string) => storedPools.one(app, id, ['width', 'rate']);

/** The next sweep dispatches them, whatever delay or backoff they have. */
export const makeDue = (app: Database, subjectId: string) =>
  storedJobs.change(app, { subject_id: subjectId }, { run_at: now(), check_at: now() });
export const makeJobDue = (app: Database, id: string) => storedJobs.change(app, id, { run_at: now(), check_at: now() });
/** As if the ledger had never known of the subject's work. */
export const forgetJobs = (app: Database, subjectId: string) => storedJobs.remove(app, { subject_id: subjectId });
