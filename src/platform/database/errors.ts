import { AppError } from '../errors.ts';
import { type Log, reasonOf } from '../log.ts';

const stateOf = (error: unknown): { code?: string; constraint?: string; where?: string; message: string } => {
  const fields = (error ?? {}) as { code?: string; constraint?: string; where?: string; cause?: unknown };
  if (fields.code === undefined && fields.cause) return stateOf(fields.cause);
  return { code: fields.code, constraint: fields.constraint, where: fields.where, message: reasonOf(error) };
};

/** The unique constraint an error violated, if that is what it is. */
export function violatedConstraint(error: unknown): string | undefined {
  const { code, constraint } = stateOf(error);
  return code === '23505' ? constraint : undefined;
}

/** The foreign key an error violated: the row it refers to is missing or deleted. */
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
  // A transaction that took too long ends with its connection.
  '25P04',
  // A server turned read-only by a failover.
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

/** Cut by its time limit. */
export const isTimedOut = (error: unknown) => stateOf(error).code === '57014';

const lockNotAvailable = '55P03';

/** The wait for a lock was too long: other work on the same record is not over. The client gets a 409 with Retry-After. */
export class RecordBusy extends AppError {
  constructor(cause: unknown) {
    super('conflict', 'Something else is at work on it; try again', { retryAfterSeconds: 1, cause });
  }
}

/** For the `catch` of a statement that takes only advisory locks. */
export function lockError(error: unknown): never {
  throw stateOf(error).code === lockNotAvailable ? new RecordBusy(error) : error;
}

/**
 * The wait for a row was too long: the context names its place as (page,item), in any language. A second waiter for the same row waits for
 * the first and cannot be told from a waiter for a table: both count as our outage.
 */
export const isRowLocked = (error: unknown) => {
  const { code, where = '' } = stateOf(error);
  return code === lockNotAvailable && /\(\d+,\d+\)/.test(where);
};

/** Cut by the time limit of a statement or a lock, or a conflict that did not end: the database is there and could not do it now. */
export const isTooBusy = (error: unknown) => isTransient(error) || isTimedOut(error) || stateOf(error).code === lockNotAvailable;

/** The database's outage, raw or as an AppError: to be tried again. So is a busy lock, for work that no client waits for. */
export const isOurOutage = (error: unknown) =>
  error instanceof AppError
    ? error.code === 'unavailable' || error instanceof RecordBusy
    : isDatabaseAway(error) || isTooBusy(error);

/** For a check at start: a database that is away is no reason not to start, since everything else waits for it. */
export const unlessAway = (log: Log) => (error: unknown) => {
  if (!isOurOutage(error)) throw error;
  log.warn({ reason: reasonOf(error) }, 'the database is away');
};
