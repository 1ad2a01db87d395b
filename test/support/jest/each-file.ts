type Act = () => Promise<unknown> | unknown;

export const before: Act[] = [];
export const after: Act[] = [];

/** A module is loaded once for all files that a jest worker runs: what it does for each of them, before and after its tests. */
export const beforeEachFile = (act: Act) => void before.push(act);
export const afterEachFile = (act: Act) => void after.push(act);
