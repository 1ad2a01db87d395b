import { AppError } from '../errors.ts';
import { type Log, reasonOf } from '../log.ts';

const stateOf = (error: unknown): { code?: string; constraint?: string; where?: string; message: string } => {
  const fields = (error ?? {}) as { code?: string; constraint?: string; where?: string; cause?: unknown };
  if (fields.code === undefined && fields.cause) return stateOf(fields.cause);
  return { code: fields.code, constraint: fields.constraint, where: fields.where, message: reasonOf(error) };
};

export const sqlStateOf = (error: unknown) => stateOf(error).code;

export function violatedConstraint(error: unknown): string | undefined {
  const { code, constraint } = stateOf(error);
  return code === '23505' ? constraint : undefined;
}

export function brokenReference(error: unknown): string | undefined {
  const { code, constraint } = stateOf(error);
  return code === '23503' ? constraint : undefined;
}

/** Serialization failure or deadlock: the same transaction may succeed now. */
export const isTransient = (error: unknown) => ['40001', '40P01'].includes(stateOf(error).code ?? '');

const away = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ENOENT',
  '57P01',
  '57P02',
  '57P03',
  '53300',
  '25P03',
  '25P04',
  '25006',
]);

/** The database cannot be reached, is starting, stopping or full: our outage, not a fault of the request. */
export function isDatabaseAway(error: unknown): boolean {
  const { code = '', message } = stateOf(error);
  return (
    away.has(code) ||
    /^(08|53|58)/.test(code) ||
    /Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|terminating connection|not queryable/i.test(
      message,
    )
  );
}

export const databaseAway = (cause: unknown) => {
  const message = isTooBusy(cause) ? 'The database takes too long; try again' : 'The database cannot be reached; try again';
  return new AppError('unavailable', message, { retryAfterSeconds: 1, cause });
};

export const isTimedOut = (error: unknown) => stateOf(error).code === '57014';

export const isMissingTable = (error: unknown) => stateOf(error).code === '42P01';

const lockNotAvailable = '55P03';

/** The wait for a lock was too long: other work on the same record is not over. */
export class RecordBusy extends AppError {
  constructor(cause: unknown) {
    super('conflict', 'Something else is at work on it; try again', { retryAfterSeconds: 1, cause });
  }
}

/** For the `catch` of a statement that takes only advisory locks. */
export function lockError(error: unknown): never {
  throw stateOf(error).code === lockNotAvailable ? new RecordBusy(error) : error;
}

/** The context names a row as (page,item), in any language. A second waiter looks like a waiter for a table: our outage. */
export const isRowLocked = (error: unknown) => {
  const { code, where = '' } = stateOf(error);
  return code === lockNotAvailable && /\(\d+,\d+\)/.test(where);
};

export const isTooBusy = (error: unknown) => isTransient(error) || isTimedOut(error) || stateOf(error).code === lockNotAvailable;

/** To be tried again. A busy lock counts too, for work that no client waits for. */
export const isOurOutage = (error: unknown) =>
  error instanceof AppError
    ? error.code === 'unavailable' || error instanceof RecordBusy
    : isDatabaseAway(error) || isTooBusy(error);

/** Nothing works while it lasts, and then all does. Another fault of our own, a statement that takes too long too, may be there at each attempt. */
export const isOutage = (error: unknown) => (error instanceof AppError ? isOurOutage(error) : isDatabaseAway(error));

/** For a check at start: a database that is away does not stop the start, since everything else waits for it. */
export const unlessAway = (log: Log) => (error: unknown) => {
  if (!isOurOutage(error)) throw error;
  log.warn({ reason: reasonOf(error) }, 'the database is away');
};

/** What the function `assert_that` of the database fails with, and so undoes the statement: one SQLSTATE for each thing that was no longer so. */
export const assertionCodes = {
  /** Another run of the job is at it, or it is over. */
  runOver: 'KN001',
  /** What the write has seen has changed. */
  outdated: 'KN002',
  /** A request with the same Idempotency-Key is still running. */
  running: 'KN003',
  /** A request with the same Idempotency-Key has its reply. */
  answered: 'KN004',
  /** Somebody has begun to listen to an event that nobody listened to. */
  heard: 'KN005',
} as const;
