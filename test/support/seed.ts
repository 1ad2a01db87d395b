/**
 * Random inputs are the same in each run: a red run is then a bug of the change. KANAL_TEST_RANDOM=true makes each run its own ones
 * (`npm run test:deep -- --random`); KANAL_TEST_SEED=<n> repeats the seed that a failure printed.
 */
const chosen = process.env.KANAL_TEST_SEED;
if (chosen && !/^-?\d+$/.test(chosen)) throw new Error('KANAL_TEST_SEED must be a whole number');
const isRandom = process.env.KANAL_TEST_RANDOM === 'true';

/** Undefined: each use has a seed of its own. */
export const fixedSeed: number | undefined = chosen ? Number(chosen) : isRandom ? undefined : 20_261_125;

export const newSeed = (): number => fixedSeed ?? Date.now() % 2 ** 31;

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

/** In place of `Math.random` in a test. */
export const newRandom = () => randomFrom(newSeed());
