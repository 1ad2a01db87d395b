/** The database's clock minus `performance.now()`, in ms; the host's clock until the first answer. */
let offsetMs = performance.timeOrigin;

/** For times that leave the process or are compared with the database's: a host's clock may be an hour wrong. */
export const now = () => performance.now() + offsetMs;

export const nowDate = () => new Date(now());

export function setClock(databaseMs: number, steadyMs: number): void {
  offsetMs = databaseMs - steadyMs;
}
