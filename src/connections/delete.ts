import { now } from '../platform/database/columns.ts';
import { isParked } from '../platform/ledger/park.ts';
import { letPoolGo, poolOf, setPool } from '../platform/ledger/pools.ts';
import type { TenantTx } from '../platform/ledger/tx.ts';
import { connectionToChange, setStatus } from './change.ts';
import { connectionPool } from './use.ts';

/** More than a worker runs at once: each run only writes that it was skipped. */
const width = 80;

/** SQL: the ledger's table. What was put off to a later time ends now, too; the sweep gives what is parked to the queue. */
const hasten = `
  update jobs
     set run_at = clock_timestamp(), check_at = clock_timestamp()
   where organization_id = $1 and pool = $2
     and (state = 'waiting' and run_at > clock_timestamp() or state = 'queued' and slot_at is null and ${isParked})`;

/**
 * Orders and bookings still name it, so its row stays; its secrets are erased. Work that waits for it goes through the queue at once, held
 * or not, and ends as skipped. Needs its lock. Throws 404.
 */
export async function deleteConnection({ em, own, dispatch }: TenantTx, id: string): Promise<void> {
  const connection = await connectionToChange(own, id);
  Object.assign(connection, {
    credentials: null,
    webhook_secret: null,
    access_token: null,
    access_token_expires_at: null,
    renewing_until: null,
    is_default: false,
    deleted_at: now(),
  });
  await setStatus(own, connection, 'disconnected');
  const pool = poolOf(own.organizationId, connectionPool(id));
  await setPool(em, pool, width, null);
  await letPoolGo(em, pool);
  await own.sql(hasten, [pool.id]);
  dispatch({ pools: [pool] });
}
