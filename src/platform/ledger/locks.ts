import { escapeLiteral } from 'pg';
import type { Em } from '../database/database.ts';
import { lockError } from '../database/errors.ts';
import { query } from '../database/query.ts';
import { AppError } from '../errors.ts';

/**
 * A lane is locked by its subject. An ordered delivery waits in the lane `subject:<endpoint>:<subject>`. A transaction that emits an event
 * holds the subject's lock and cannot know which endpoints listen; so both kinds of lane share one lock, the subject's.
 */
export const lockOf = (lane: string) => (lane.startsWith('subject:') ? lane.slice(lane.indexOf(':', 8) + 1) : lane);

export const conversationLane = (conversationId: string) => `conversation:${conversationId}`;
export const subjectLock = (type: string, id: string) => `${type}:${id}`;

/** Conversations come first: the holder of a conversation's lane may take its contact's lock later, when a reply has news of the person. */
const rank = (lock: string) => (lock.startsWith('conversation:') ? `0${lock}` : `1${lock}`);
/** The order in which every transaction takes them. */
export const sorted = (locks: Iterable<string>) => [...new Set(locks)].sort((one, other) => (rank(one) < rank(other) ? -1 : 1));

/**
 * Statements of their own before anything else in the transaction, sorted: the next statement's snapshot is younger than the wait.
 * SQL: advisory locks. The names stand in the text because all are sent together with `begin`, which takes no parameters.
 */
export const lockStatements = (locks: Iterable<string>) =>
  sorted(locks).map((lock) => `select pg_advisory_xact_lock(hashtextextended(${escapeLiteral(lock)}, 0))`);

/** The same, within a transaction that has begun. */
export async function takeLocks(em: Em, locks: Iterable<string>) {
  for (const lock of sorted(locks))
    await query(em, 'select pg_advisory_xact_lock(hashtextextended($1, 0))', [lock]).catch(lockError);
}

/** Takes a lock only if it is free. Its holder looks after what it guards. */
export async function tryLock(em: Em, lock: string): Promise<boolean> {
  const [row] = await query<{ is_taken: boolean }>(em, 'select pg_try_advisory_xact_lock(hashtextextended($1, 0)) as is_taken', [
    lock,
  ]);
  return row!.is_taken;
}

/** The rows that chose the locks changed, as in a merge of contacts: `look` runs again and the work is repeated. */
export class LocksOutdated extends AppError {
  constructor() {
    super('conflict', 'It was changed at the same time; try again', { retryAfterSeconds: 1 });
  }
}
