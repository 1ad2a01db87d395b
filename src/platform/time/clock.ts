/** The database's clock minus this process's steady one, in ms. Until the database has answered: the host's clock at the process's start. */
let offsetMs = performance.timeOrigin;

/**
 * Milliseconds of the epoch by the database's clock, for times that leave the process or are compared with the database's: a host's clock
 * may be an hour wrong and right again the next moment. src/platform/time/clock-skew.ts keeps it.
 */
export const now = () => performance.now() + offsetMs;

export const nowDate = () => new Date(now());

/** What the database's clock said when `performance.now()` was `steadyMs`. */
export function setClock(databaseMs: number, steadyMs: number): void {
  offsetMs = databaseMs - steadyMs;
}
