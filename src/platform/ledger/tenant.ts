import type { Transact, Work, Write } from './transact.ts';
import type { TenantTx, Tx } from './tx.ts';

export const asTenant = (tx: Tx, organizationId: string): TenantTx => Object.assign(tx, { own: tx.of(organizationId) });

export type TenantTransact = <Seen, Result>(options: Write<Seen>, work: Work<TenantTx, Seen, Result>) => Promise<Result>;

export const transactFor =
  (transact: Transact, organizationId: string): TenantTransact =>
  (options, work) =>
    transact(options, (tx, seen) => work(asTenant(tx, organizationId), seen));
