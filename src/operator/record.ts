import { type Act, recordAct } from '../platform/audit/record.ts';
import type { Tx } from '../platform/ledger/tx.ts';

/** What the operator does from the command line is in the log of the organization it touches; in none where it touches none. */
export const record = (tx: Tx, act: Omit<Act, 'actor'>) => recordAct(tx.em, { ...act, actor: 'cli' });
