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

/** The foreign key an error violated: what was referred to is not there, or not any more. */
export function brokenReference(error: unknown): string | undefined {
  const { code, constraint } = stateOf(error);
  return code === '23503' ? constraint : undefined;
}

/** Serialization failure or deadlock: the same transaction may well succeed now. */
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

/** The database cannot be reached, is starting, stopping or full: our outage, nobody's mistake. */
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

/** A lock was waited for in vain: somebody else's work on the same record is not over. Their client is told 409, and to try again. */
export class RecordBusy extends AppError {
  constructor(cause: unknown) {
    super('conflict', 'Something else is at work on it; try again', { retryAfterSeconds: 1, cause });
  }
}

/** For the `catch` of a statement that takes nothing but advisory locks. */
export function lockError(error: unknown): never {
  throw stateOf(error).code === lockNotAvailable ? new RecordBusy(error) : error;
}

/**
 * Waited in vain for a row: the context names its place as (page,item), in whatever language. The second who waits for the same row
 * waits for the first, and cannot be told from one who waits for a table: that is our outage, as a table's lock is.
 */
export const isRowLocked = (error: unknown) => {
  const { code, where = '' } = stateOf(error);
  return code === lockNotAvailable && /\(\d+,\d+\)/.test(where);
};

/** Cut by the time limit of a statement or a lock, or a conflict that would not end: the database is there and could not do it now. */
export const isTooBusy = (error: unknown) => isTransient(error) || isTimedOut(error) || stateOf(error).code === lockNotAvailable;

/** The database's outage, raw or already told: nobody's answer, and to be tried again. So is a lock, for work that nobody waits for. */
export const isOurOutage = (error: unknown) =>
  error instanceof AppError
    ? error.code === 'unavailable' || error instanceof RecordBusy
    : isDatabaseAway(error) || isTooBusy(error);

/** For a check at start: a database that is away is waited for by everything else, and no reason not to start. */
export const unlessAway = (log: Log) => (error: unknown) => {
  if (!isOurOutage(error)) throw error;
  log.warn({ reason: reasonOf(error) }, 'the database is away');
};
