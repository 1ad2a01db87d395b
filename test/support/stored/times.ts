const unitMs = { ms: 1, second: 1_000, minute: 60_000, hour: 3_600_000, day: 86_400_000 };
type Unit = keyof typeof unitMs;

const fromNow = (ms: number) => new Date(Date.now() + ms).toISOString();

/** Moments as a column stores them: the clock of the database is this machine's. */
export const now = () => fromNow(0);
export const ago = (amount: number, unit: Unit) => fromNow(-amount * unitMs[unit]);
export const ahead = (amount: number, unit: Unit) => fromNow(amount * unitMs[unit]);
