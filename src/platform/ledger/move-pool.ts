import { stateIs } from './states.ts';
import type { OwnTx } from './tx.ts';

/** SQL: the row of a run stays with its run; its room counts where it is now. */
const movePoolStatement = `
  update jobs
     set pool = $3
   where organization_id = $1 and id = $2 and ${stateIs('state', 'blocked', 'waiting', 'queued')}
  returning new.pool`;

/** A live job waits for room of another pool from now on. The lock of its lane must be held. The pool must exist. */
export async function movePool(tx: OwnTx, jobId: string, pool: string): Promise<void> {
  const rows = await tx.sql(movePoolStatement, [jobId, pool]);
  if (rows.length > 0) tx.dispatch({ pools: [{ organization_id: tx.organizationId, id: pool }] });
}
