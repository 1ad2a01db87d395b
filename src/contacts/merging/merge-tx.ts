import type { OwnTx } from '../../platform/ledger/tx.ts';
import { contactLock } from '../events.ts';

/** Two contacts that become one. */
export type Two = { survivor: string; merged: string };

/** A transaction that holds the locks of both contacts of a merge. Only `mergeTx` makes one. */
export type MergeTx = OwnTx & Two & { readonly actor: string };

/** Throws LocksOutdated without both locks. */
export function mergeTx(tx: OwnTx, { survivor, merged }: Two, actor: string): MergeTx {
  for (const id of [survivor, merged]) tx.assertLocked(contactLock(id));
  return Object.assign(Object.create(tx) as OwnTx, { survivor, merged, actor });
}
