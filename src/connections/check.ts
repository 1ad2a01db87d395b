import { cut } from '../platform/cut.ts';
import { now } from '../platform/database/columns.ts';
import type { TenantTransact } from '../platform/ledger/tenant.ts';
import type { Verified } from '../providers/connections.ts';
import { connectionLock, letConnectionGo } from './change.ts';
import { Connection } from './connection.entity.ts';

type Checked = { id: string; sealed: string };

/** Good credentials let a connection go that was stopped. Ignored when they were replaced meanwhile. */
export const recordCheck = (transact: TenantTransact, { id, sealed }: Checked, { account }: Verified) =>
  transact({ locks: [connectionLock(id)] }, async (tx) => {
    const connection = await tx.own.findOne(Connection, { id, credentials: sealed, deleted_at: null });
    if (!connection) return;
    Object.assign(connection, { account, checked_at: now(), last_ok_at: now(), last_error: null, last_error_at: null });
    await tx.own.flush();
    if (connection.status !== 'connected') await letConnectionGo(tx, connection);
  });

/** It could not be asked, or refused something that is not about the credentials: its status stays. */
export const recordProblem = (transact: TenantTransact, { id }: Pick<Checked, 'id'>, problem: string) =>
  transact({ locks: [connectionLock(id)] }, async ({ own }) => {
    await own.update(
      Connection,
      { id, deleted_at: null },
      { checked_at: now(), last_error: cut(problem, 500), last_error_at: now() },
    );
  });
