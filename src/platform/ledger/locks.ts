import { escapeLiteral } from 'pg';
import type { Em } from '../database/database.ts';
import { lockError } from '../database/errors.ts';
import { query } from '../database/query.ts';
import { AppError } from '../errors.ts';

/**
 * A lane is locked by its subject. An ordered delivery waits in the lane `subject:<endpoint>:<subject>`, and the one who emits an
 * event holds the subject's lock but cannot know which endpoints listen; so both kinds of lane share one lock, the subject's.
 */
export const lockOf = (lane: string) => (lane.startsWith('subject:') ? lane.slice(lane.indexOf(':', 8) + 1) : lane);

export const conversationLane = (conversationId: string) => `conversation:${conversationId}`;
export const subjectLock = (type: string, id: string) => `${type}:${id}`;

/** Conversations stand first: whoever has one's lane may take its contact's lock late, when an answer tells something new of the person. */
const rank = (lock: string) => (lock.startsWith('conversation:') ? `0${lock}` : `1${lock}`);
/** The order in which everybody takes them. */
export const sorted = (locks: Iterable<string>) => [...new Set(locks)].sort((one, other) => (rank(one) < rank(other) ? -1 : 1));

/** Statements of their own before anything else in the transaction, sorted: the next statement's snapshot is younger than the wait. */
export const lockStatements = (locks: Iterable<string>) =>
  sorted(locks).map((lock) => `select pg_advisory_xact_lock(hashtextextended(${escapeLiteral(lock)}, 0))`);

/** The same, within a transaction that has begun. */
export async function takeLocks(em: Em, locks: Iterable<string>) {
  for (const lock of sorted(locks))
    await query(em, 'select pg_advisory_xact_lock(hashtextextended($1, 0))', [lock]).catch(lockError);
}

/** Takes a lock only if nobody has it: whoever holds it looks after what it guards. */
export async function tryLock(em: Em, lock: string): Promise<boolean> {
  const [row] = await query<{ is_taken: boolean }>(em, 'select pg_try_advisory_xact_lock(hashtextextended($1, 0)) as is_taken', [
    lock,
  ]);
  return row!.is_taken;
}

/** The rows that chose the locks changed meanwhile, as in a merge of contacts: they are looked at anew, and the work is tried again. */
export class LocksOutdated extends AppError {
  constructor() {
    super('conflict', 'It was changed at the same time; try again', { retryAfterSeconds: 1 });
  }
}
