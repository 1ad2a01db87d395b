import { newSeed } from '../support/seed.ts';

/** What `npm run test:crash` (test/crash.ts) asks for; by themselves the sizes of a run in CI. */
export const given = (name: string, otherwise: number) => Number(process.env[`CRASH_${name}`] ?? otherwise);

export const seed = given('SEED', newSeed());

/** Mulberry32: the same numbers from 0 to 1 for the same seed. */
export function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
