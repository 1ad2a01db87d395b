import { brokenReference } from '../platform/database/errors.ts';
import { LocksOutdated } from '../platform/ledger/locks.ts';

/** For the `catch` of a write: what the row names was deleted since it was looked at. The transaction is run anew, and its look refuses. */
export function lookAgain(error: unknown): never {
  throw brokenReference(error) ? new LocksOutdated() : error;
}
