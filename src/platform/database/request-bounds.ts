import Joi from 'joi';
import type { ConnectionShare } from './connection-shares.ts';

/** A worker has none of these bounds: no client waits for it. */
export type RequestBounds = {
  statementMs: number;
  longStatementMs: number;
  lockMs: number;
  transactionMs: number;
  share: ConnectionShare;
};

const whole = Joi.number().integer();

export const requestBoundsSettings = {
  DATABASE_POOL_SHARE: whole
    .min(1)
    .max(200)
    .default(8)
    .description('Connections of a web process that requests of one organization hold at once; one is always left to the others'),
  DATABASE_CROWDED_WRITES: whole
    .min(1)
    .max(200)
    .default(1)
    .description(
      'Requests of one organization that write at once in a web process that has little time left and works for others, too',
    ),
  DATABASE_POOL_SHARE_MAX_WAITING: whole
    .min(0)
    .max(100_000)
    .default(1_000)
    .description('Requests of one organization that may wait for one of them, or for their turn to write; more are answered 503'),
  DATABASE_POOL_SHARE_WAIT_MS: whole
    .min(0)
    .max(60_000)
    .default(2_000)
    .description('Longest a request waits for one of them; then it is answered 503'),
  REQUEST_STATEMENT_TIMEOUT_MS: whole
    .min(100)
    .max(600_000)
    .default(5_000)
    .description('Longest a statement of a request may take; then it is answered 503'),
  REQUEST_LONG_STATEMENT_TIMEOUT_MS: whole
    .min(100)
    .max(3_600_000)
    .default(30_000)
    .description('The same for a merge, and for what deletes as many rows as there are'),
  REQUEST_LOCK_TIMEOUT_MS: whole
    .min(1)
    .max(60_000)
    .default(1_500)
    .description(
      "Longest a request waits for a lock that does not pass on; then it is answered 409, or 503 when it is a whole table's",
    ),
  REQUEST_TRANSACTION_TIMEOUT_MS: whole
    .min(100)
    .max(600_000)
    .default(10_000)
    .description('Longest a transaction of a request may take, and longest it is begun anew after a conflict'),
};

export type RequestBoundsSettings = {
  databasePoolShare: number;
  databaseCrowdedWrites: number;
  databasePoolShareMaxWaiting: number;
  databasePoolShareWaitMs: number;
  requestStatementTimeoutMs: number;
  requestLongStatementTimeoutMs: number;
  requestLockTimeoutMs: number;
  requestTransactionTimeoutMs: number;
};

export const requestBoundsOf = (config: RequestBoundsSettings): RequestBounds => ({
  statementMs: config.requestStatementTimeoutMs,
  longStatementMs: config.requestLongStatementTimeoutMs,
  lockMs: config.requestLockTimeoutMs,
  transactionMs: config.requestTransactionTimeoutMs,
  share: {
    places: config.databasePoolShare,
    crowdedWrites: config.databaseCrowdedWrites,
    maxWaiting: config.databasePoolShareMaxWaiting,
    waitMs: config.databasePoolShareWaitMs,
  },
});
