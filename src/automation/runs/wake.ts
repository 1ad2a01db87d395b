import { now } from '../../platform/database/columns.ts';
import type { TenantTx } from '../../platform/ledger/tx.ts';
import { wakeJob } from '../../platform/ledger/wake.ts';
import { runJobName, runLock } from '../jobs.ts';
import { AutomationRun, AutomationWait } from '../run.entity.ts';
import { positionOf } from './position.ts';
import { findRunNow } from './run-now.ts';

/** What it waited for has come. False: it waits for nothing any more. Needs the lock of the run. `waitedFor` of position.ts has the step, and its conditions. */
export async function wakeRun({ own }: TenantTx, id: string, eventId: string): Promise<boolean> {
  own.assertLocked(runLock(id));
  const run = await findRunNow(own, id);
  if (run?.state !== 'running') return false;
  const position = positionOf(run.position);
  const { waiting } = position;
  if (!waiting?.awaits || waiting.event_id) return false;
  await own.delete(AutomationWait, { run_id: id });
  const woken = { ...position, waiting: { ...waiting, event_id: eventId } };
  await own.update(AutomationRun, { id }, { position: woken, wakes_at: now(), updated_at: now() });
  await wakeJob(own, runJobName, id);
  return true;
}
