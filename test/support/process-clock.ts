import { setClock } from '../../src/platform/time/clock.ts';

/** What this process believes to be the time: that of the host and so much more. */
export const setClockAhead = (ms: number) => setClock(Date.now() + ms, performance.now());
