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
