/** The database's clock less this process's steady one, in ms. Until the database has been asked: the host's clock when the process began. */
let offsetMs = performance.timeOrigin;

/**
 * Milliseconds of the epoch by the database's clock, for times that leave the process or are compared with the database's own: a host's
 * clock may be an hour off, and right again the next moment. src/platform/time/clock-skew.ts keeps it.
 */
export const now = () => performance.now() + offsetMs;

export const nowDate = () => new Date(now());

/** What the database's clock said when `performance.now()` was `steadyMs`. */
export function setClock(databaseMs: number, steadyMs: number): void {
  offsetMs = databaseMs - steadyMs;
}
