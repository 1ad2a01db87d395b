import type { Own } from '../platform/database/own.ts';
import { ensurePool } from '../platform/ledger/pools.ts';
import type { ConnectionKind } from './connection.entity.ts';
import { connectionPool } from './use.ts';

/** Calls at once, and a second. Known limits of the services, with room for what people do there by hand. */
export const paces: Record<ConnectionKind, { width: number; rate: number }> = {
  calendar: { width: 4, rate: 5 },
  video: { width: 2, rate: 2 },
  shipper: { width: 4, rate: 5 },
  payment: { width: 8, rate: 20 },
};

/** The pool of a connection, which is there from now on: one that was there keeps its pace. */
export async function pacedPool(own: Pick<Own, 'sql'>, kind: ConnectionKind, connectionId: string): Promise<string> {
  const pool = connectionPool(connectionId);
  await ensurePool(own, pool, paces[kind].width, paces[kind].rate);
  return pool;
}
