import type { RequestBounds } from './request-bounds.ts';

const workerStatementMs = 30_000;

/** What each connection is opened with. A pooler in transaction mode drops it: docs/pgbouncer.ini has it set there. */
export type SessionSettings = Record<
  | ('statement_timeout' | 'lock_timeout' | 'idle_in_transaction_session_timeout' | 'transaction_timeout')
  | ('enable_seqscan' | 'jit' | 'plan_cache_mode'),
  number | 'off' | 'force_generic_plan'
>;

export const sessionSettingsOf = (bounds?: RequestBounds): SessionSettings => ({
  // A hanging statement must not block a request or a lane for ever. Migrations have their own connection.
  statement_timeout: bounds?.statementMs ?? workerStatementMs,
  lock_timeout: bounds?.lockMs ?? 0,
  idle_in_transaction_session_timeout: 15_000,
  transaction_timeout: bounds?.transactionMs ?? 0,
  // Every read has its index. A plan made while a table is empty would scan it when full (measured: a quarter of the rate).
  enable_seqscan: 'off',
  // No statement is long enough for it; an estimate of a whole table for one organization would begin it.
  jit: 'off',
  // A list of one value looks cheaper than one of unknown length: the ledger's statement was planned anew each time, 1.3 ms of its 2.6.
  plan_cache_mode: 'force_generic_plan',
});

/** Those that are not in force, as `name = wanted`. */
export const lostSettings = (wanted: SessionSettings, found: Record<string, string>): string[] =>
  Object.entries(wanted)
    .filter(([name, value]) => found[name] !== String(value))
    .map(([name, value]) => `${name} = ${value}`);
