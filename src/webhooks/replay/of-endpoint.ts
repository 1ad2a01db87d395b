import type { Own } from '../../platform/database/own.ts';
import type { RowOf } from '../../platform/database/tables.ts';
import { callOff } from '../../platform/ledger/control.ts';
import type { Job } from '../../platform/ledger/jobs.entity.ts';
import { LocksOutdated, subjectLock } from '../../platform/ledger/locks.ts';
import { stateIs } from '../../platform/ledger/states.ts';
import type { TenantTx } from '../../platform/ledger/tx.ts';

/** SQL: two tables; a job is found by its subject. */
const operationsStatement = `
  select j.id
    from webhook_replays r,
         lateral (
           select j.id
             from jobs j
            where j.organization_id = r.organization_id and j.subject_id = r.id and j.visible
              and ${stateIs('j.state', 'blocked', 'waiting', 'queued', 'paused')}) j
   where r.organization_id = $1 and r.endpoint_id = $2 and r.state <> 'ended'`;

/** The bulk operations of an endpoint that have not ended, paused ones too. */
export async function operationsOf(own: Own, endpointId: string): Promise<string[]> {
  const rows = await own.sql<RowOf<typeof Job, 'id'>>(operationsStatement, [endpointId]);
  return rows.map(({ id }) => id);
}

export const locksOfOperations = (ids: string[]) => ids.map((id) => subjectLock('operation', id));

/** Needs the endpoint's lock, under which they are asked for, and `locksOfOperations`. Throws LocksOutdated when there is one more. */
export async function callOffOperations(tx: TenantTx, endpointId: string, locked: string[], by: string): Promise<void> {
  const ids = await operationsOf(tx.own, endpointId);
  if (ids.some((id) => !locked.includes(id))) throw new LocksOutdated();
  for (const id of ids) await callOff(tx, id, by);
}
