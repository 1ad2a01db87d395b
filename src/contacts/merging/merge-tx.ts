import type { OwnTx } from '../../platform/ledger/tx.ts';
import { contactLock } from '../events.ts';

export type Two = { survivor: string; merged: string };

/** Holds the locks of both contacts. Only `mergeTx` makes one. */
export type MergeTx = OwnTx & Two & { readonly actor: string };

export function mergeTx(tx: OwnTx, { survivor, merged }: Two, actor: string): MergeTx {
  for (const id of [survivor, merged]) tx.assertLocked(contactLock(id));
  return Object.assign(Object.create(tx) as OwnTx, { survivor, merged, actor });
}
