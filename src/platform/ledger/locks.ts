import { escapeLiteral } from 'pg';
import type { BatchStatement } from '../database/batch.ts';
import type { Em } from '../database/database.ts';
import { lockError } from '../database/errors.ts';
import { query } from '../database/query.ts';
import { AppError } from '../errors.ts';
import { bindTo } from '../listing/bind.ts';

/** Both kinds of lane share the subject's lock: a transaction that emits cannot know which endpoints listen. */
export const lockOf = (lane: string) => (lane.startsWith('subject:') ? lane.slice(lane.indexOf(':', 8) + 1) : lane);

/**
 * Of the deliveries of one endpoint about one subject, or of the evaluations of its events (events/record.ts): an event joins it. A lane of other work on the
 * subject has another word in the endpoint's place.
 */
export const isEventLane = (lane: string) => /^subject:([\da-f]{8}-|automation:)/.test(lane);

export const conversationLane = (conversationId: string) => `conversation:${conversationId}`;
export const subjectLock = (type: string, id: string) => `${type}:${id}`;

/** The provider's id of a message becomes known, or a status of it is kept until then (messaging/kept-statuses.ts). */
export const answerLock = (channelId: string, providerMessageId: string) => `answer:${channelId}:${providerMessageId}`;

const kinds = ['conversation:', 'answer:'];
/** Conversations and answers first: their holder may take a contact's lock later. Every transaction takes locks in this order. */
const rank = (lock: string) => {
  const kind = kinds.findIndex((one) => lock.startsWith(one));
  return `${kind === -1 ? kinds.length : kind}${itself(lock)}`;
};
/** Who takes a lock itself does not share it, too. */
export function sorted(locks: Iterable<string>): string[] {
  const all = new Set(locks);
  return [...all]
    .filter((lock) => !isSharedLock(lock) || !all.has(itself(lock)))
    .sort((one, other) => (rank(one) < rank(other) ? -1 : 1));
}

const sharedMark = 'shared ';
/** Held by several at once, beside nobody who holds the lock itself. Who waits for the lock is before those who share it later. */
export const sharedLock = (lock: string) => `${sharedMark}${lock}`;
const isSharedLock = (lock: string) => lock.startsWith(sharedMark);
const itself = (lock: string) => (isSharedLock(lock) ? lock.slice(sharedMark.length) : lock);
export const isHeldBy = (held: Set<string>, lock: string) => held.has(lock) || held.has(itself(lock));
export const exclusive = (locks: string[]) => locks.filter((lock) => !isSharedLock(lock));

const functionOf = (lock: string) => (isSharedLock(lock) ? 'pg_advisory_xact_lock_shared' : 'pg_advisory_xact_lock');

/** SQL: sent together with `begin`, which takes no parameters. The next statement's snapshot is younger than the wait. */
export const lockStatements = (locks: Iterable<string>) =>
  sorted(locks).map((lock) => `select ${functionOf(lock)}(hashtextextended(${escapeLiteral(itself(lock))}, 0))`);

/** More in one statement would be prepared in as many forms. */
const maxInOne = 4;

/**
 * SQL: the same for a batch, prepared once for each number of them: a statement more takes longer than a lock. PostgreSQL takes those of one statement from
 * left to right.
 */
export function lockBatch(locks: Iterable<string>): BatchStatement[] {
  const all = sorted(locks);
  const statements: BatchStatement[] = [];
  for (let from = 0; from < all.length; from += maxInOne) {
    const params: string[] = [];
    const bind = bindTo(params);
    const taken = all
      .slice(from, from + maxInOne)
      .map((lock) => `${functionOf(lock)}(hashtextextended(${bind(itself(lock))}, 0))`);
    statements.push({ text: `select ${taken.join(', ')}`, params });
  }
  return statements;
}

export async function takeLocks(em: Em, locks: Iterable<string>) {
  for (const { text, params } of lockBatch(locks)) await query(em, text, params).catch(lockError);
}

export async function tryLock(em: Em, lock: string): Promise<boolean> {
  const [row] = await query<{ is_taken: boolean }>(em, 'select pg_try_advisory_xact_lock(hashtextextended($1, 0)) as is_taken', [
    lock,
  ]);
  return row!.is_taken;
}

/** The rows that chose the locks changed, as in a merge of contacts: the write is repeated from `look`. */
export class LocksOutdated extends AppError {
  constructor() {
    super('conflict', 'It was changed at the same time; try again', { retryAfterSeconds: 1 });
  }
}

/** Nobody listened when it was looked at, and somebody does now: the write is repeated, and tells. */
export class HeardMeanwhile extends LocksOutdated {}
