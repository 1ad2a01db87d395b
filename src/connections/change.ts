import { cut } from '../platform/cut.ts';
import { now } from '../platform/database/columns.ts';
import type { Owned } from '../platform/database/own.ts';
import { notFound } from '../platform/errors.ts';
import { connectionStatusUpdate } from '../platform/events/commerce-events.ts';
import { subjectLock } from '../platform/ledger/locks.ts';
import { holdPool, letPoolGo, poolOf, setPool } from '../platform/ledger/pools.ts';
import type { TenantTransact } from '../platform/ledger/tenant.ts';
import type { OwnTx, TenantTx } from '../platform/ledger/tx.ts';
import { Connection, type ConnectionKind, type ConnectionStatus } from './connection.entity.ts';
import { paces } from './paces.ts';
import { connectionPool } from './use.ts';

export const connectionLock = (id: string) => subjectLock('connection', id);

type Row = Owned<typeof Connection>;

/** Needs its lock. Throws 404, for a deleted one too. */
export async function connectionToChange(own: OwnTx, id: string): Promise<Row> {
  own.assertLocked(connectionLock(id));
  const connection = await own.findOne(Connection, { id, deleted_at: null });
  if (!connection) throw notFound('Connection');
  return connection;
}

export async function makePool({ em, own }: Pick<TenantTx, 'em' | 'own'>, id: string, kind: ConnectionKind) {
  const { width, rate } = paces[kind];
  await setPool(em, poolOf(own.organizationId, connectionPool(id)), width, rate);
}

export async function setStatus(own: OwnTx, connection: Row, status: ConnectionStatus) {
  const previous = connection.status;
  Object.assign(connection, { status, updated_at: now() });
  await own.flush();
  emitStatus(own, connection, previous);
}

export const emitStatus = (
  own: OwnTx,
  { id, kind, status }: Pick<Row, 'id' | 'kind' | 'status'>,
  previous: ConnectionStatus | null,
) =>
  own.emit(connectionStatusUpdate, {
    connection_id: id,
    kind,
    status,
    previous_status: previous,
    organization_id: own.organizationId,
  });

/** Its credentials are good: what waited goes on. Needs its lock. */
export async function letConnectionGo({ em, own, dispatch }: TenantTx, connection: Row) {
  const pool = poolOf(own.organizationId, connectionPool(connection.id));
  await letPoolGo(em, pool);
  dispatch({ pools: [pool] });
  if (connection.status !== 'connected') await setStatus(own, connection, 'connected');
}

const longestError = 500;

/**
 * The provider refuses the credentials: work keeps its place until there are new ones. Ignored when they were replaced meanwhile, and for a
 * deleted connection.
 */
export const stopConnection = (
  transact: TenantTransact,
  { id, sealed }: { id: string; sealed: string },
  status: 'auth_error' | 'restricted',
  reason: string,
) =>
  transact({ locks: [connectionLock(id)] }, async ({ em, own }) => {
    const connection = await own.findOne(Connection, { id, credentials: sealed, deleted_at: null });
    if (!connection || connection.status === status) return;
    await holdPool(em, poolOf(own.organizationId, connectionPool(id)), null);
    Object.assign(connection, { last_error: cut(reason, longestError), last_error_at: now(), access_token: null });
    await setStatus(own, connection, status);
  });
