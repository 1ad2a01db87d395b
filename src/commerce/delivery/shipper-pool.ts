import { pacedPool } from '../../connections/paces.ts';
import type { OwnTx } from '../../platform/ledger/tx.ts';

/** The pool of a shipper's connection. */
export const shipperPool = (tx: OwnTx, connectionId: string): Promise<string> => pacedPool(tx, 'shipper', connectionId);
