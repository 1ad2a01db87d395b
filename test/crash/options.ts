import { newSeed } from '../support/seed.ts';

export { randomFrom } from '../support/seed.ts';

/** What `npm run test:crash` (test/crash.ts) asks for; by themselves the sizes of a run in CI. */
export const given = (name: string, otherwise: number) => Number(process.env[`CRASH_${name}`] ?? otherwise);

export const seed = given('SEED', newSeed());
