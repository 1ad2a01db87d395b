import type { Database } from '../platform/database/database.ts';
import { ownRows } from '../platform/database/own.ts';
import { query } from '../platform/database/query.ts';
import type { RowOf } from '../platform/database/tables.ts';
import { notFound } from '../platform/errors.ts';
import { callOff, controlOf, pauseOperation, resumeOperation } from '../platform/ledger/control.ts';
import type { Job } from '../platform/ledger/jobs.entity.ts';
import { findOperation, listOperations, type OperationRow } from '../platform/ledger/operations.ts';
import { asTenant } from '../platform/ledger/tenant.ts';
import type { Transact } from '../platform/ledger/transact.ts';
import type { Ask } from '../platform/listing/paging.ts';
import { record } from './record.ts';

export const controls = { cancel: callOff, pause: pauseOperation, resume: resumeOperation };
export type Control = keyof typeof controls;

/** SQL: an operator names an operation of any organization: read over all of them, on nobody's path. */
const ownerStatement = `
  select organization_id
    from jobs
   where id = $1 and visible`;

async function ownerOf(database: Database, id: string): Promise<string> {
  const [row] = await query<RowOf<typeof Job, 'organization_id'>>(database, ownerStatement, [id]);
  if (!row) throw notFound('Operation');
  return row.organization_id;
}

/** Throws 404. */
export async function readOperation(database: Database, id: string): Promise<OperationRow> {
  const row = await findOperation(ownRows(database, await ownerOf(database, id)), id);
  if (!row) throw notFound('Operation');
  return row;
}

const maxListed = 50;

/** The newest. */
export async function listOperationsOf(database: Database, organizationId: string): Promise<OperationRow[]> {
  const ask: Ask = (text, params) => query(database, text, params);
  const page = { limit: maxListed, includeTotal: false };
  const { rows } = await listOperations(ask, ownRows(database, organizationId), {}, page);
  return rows.slice(0, maxListed);
}

/** False: nothing was to be done. Throws 404, and 409 for an operation that cannot be controlled so. */
export async function controlOperation(
  { database, transact }: { database: Database; transact: Transact },
  id: string,
  control: Control,
): Promise<boolean> {
  const organizationId = await ownerOf(database, id);
  const look = controlOf(ownRows(database, organizationId), id);
  return transact({ ...look, isLong: true }, async (tx, { name }) => {
    const isDone = await controls[control](asTenant(tx, organizationId), id, 'cli');
    if (isDone)
      await record(tx, { organizationId, action: `operations.${control}`, subject: `operation:${id}`, details: { name } });
    return isDone;
  });
}
