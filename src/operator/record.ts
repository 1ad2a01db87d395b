import { type Act, recordAct } from '../platform/audit/record.ts';
import type { Tx } from '../platform/ledger/tx.ts';

/** An act that concerns no organization is in the log of none. */
export const record = (tx: Tx, act: Omit<Act, 'actor'>) => recordAct(tx.em, { ...act, actor: 'cli' });
